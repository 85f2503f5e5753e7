"""Sentences of made-up technical prose, English and Chinese, from a seeded chooser."""

import random
from dataclasses import dataclass

_ENGLISH = """
the a each every this that one another service request worker queue table index document page section reader chunk
token budget limit cache retry timeout message payload header cursor lease batch snapshot replica partition ledger
account region gateway policy secret rotation schedule pipeline deployment rollback release operator dashboard metric
alarm threshold customer invoice contract meeting report sample result figure estimate is was becomes returns keeps
writes reads sends moves fails waits stops checks begins replaces describes measures requires allows rejects follows
before after while because unless until with without under over between across against during only never always
usually slowly twice again small large empty stale valid shared private public default optional required
"""
_CHINESE = """
服务 请求 队列 索引 文档 章节 读取 分块 预算 上限 缓存 重试 超时 消息 游标 租约 批次 快照
副本 分区 账户 区域 网关 策略 密钥 轮换 计划 流水线 部署 回滚 发布 运维 指标 告警 阈值 客户
发票 合同 会议 报告 样本 结果 估计 成为 返回 保留 写入 读出 发送 移动 失败 等待 停止 检查
开始 替换 描述 测量 需要 允许 拒绝 遵循 之前 之后 同时 因为 除非 直到 没有 关于 之间 跨越
期间 只有 从不 总是 通常 再次 较小 较大 为空 过期 有效 共享 私有 公开 默认 可选 必填 的
了 和 在 对 由 将 可以 不能 一个 每次
"""
_NAMES = ("order", "cursor", "lease", "batch", "total", "owner", "state", "limit", "retry", "index", "shard", "queue")


@dataclass(frozen=True)
class Language:
    """How one language joins words and ends sentences and clauses."""

    name: str
    words: tuple[str, ...]
    gap: str
    stops: tuple[str, ...]
    comma: str


ENGLISH = Language("english", tuple(_ENGLISH.split()), " ", (". ", ". ", ". ", "? ", "! "), ", ")
CHINESE = Language("chinese", tuple(_CHINESE.split()), "", ("。", "。", "。", "？", "！"), "，")


class Writer:
    """Writes words, sentences and paragraphs of one language; the same seed writes the same text."""

    def __init__(self, language: Language, seed: int) -> None:
        """Begin with a seed."""
        self.language = language
        self.chooser = random.Random(seed)

    def phrase(self, low: int, high: int) -> str:
        """Write some words."""
        count = self.chooser.randint(low, high)
        return self.language.gap.join(self.chooser.choices(self.language.words, k=count))

    def sentence(self) -> str:
        """Write one to three clauses and a stop, now and then with code, a link, emphasis or a number."""
        clauses = [self.phrase(4, 9) for _ in range(self.chooser.choice((1, 2, 2, 3)))]
        if self.chooser.random() < 0.3:
            clauses[-1] += self.language.gap + self._mark()
        text = self.language.comma.join(clauses)
        return text[0].upper() + text[1:] + self.chooser.choice(self.language.stops)

    def paragraph(self, low: int = 2, high: int = 6) -> str:
        """Write a paragraph on one line."""
        return "".join(self.sentence() for _ in range(self.chooser.randint(low, high))).rstrip()

    def name(self) -> str:
        """Write an identifier."""
        return f"{self.chooser.choice(_NAMES)}_{self.chooser.choice(_NAMES)}_{self.chooser.randint(1, 999)}"

    def _mark(self) -> str:
        kind = self.chooser.randrange(4)
        if kind == 0:
            return f"`{self.name()}`"
        if kind == 1:
            return f"[{self.phrase(1, 3)}](https://docs.example.com/{self.name()})"
        if kind == 2:
            return f"**{self.phrase(1, 2)}**"
        return f"{self.chooser.randint(1, 9)}.{self.chooser.randint(0, 99)}"
