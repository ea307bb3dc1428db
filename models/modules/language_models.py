"""GPT-2 and LLaMA in PyTorch, with weights named as Hugging Face has them: the float reference."""

from __future__ import annotations

from math import sqrt

import torch
from torch import nn
from torch.nn import functional

__all__ = ["Gpt2", "Llama"]


class Conv1D(nn.Module):
    """A product with a matrix that is kept inputs by outputs."""

    def __init__(self, inputs: int, outputs: int) -> None:
        super().__init__()
        self.weight = nn.Parameter(torch.empty(inputs, outputs).normal_(0, 0.02))
        self.bias = nn.Parameter(torch.empty(outputs).normal_(0, 0.02))

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        """Return outputs of the same rows."""
        return x @ self.weight + self.bias


def attended(
    q: torch.Tensor, k: torch.Tensor, v: torch.Tensor, heads: tuple[int, int]
) -> torch.Tensor:
    """Return causal attention; of ``heads`` queries, and keys and values, in rows of tokens."""
    tokens, (count, groups) = len(q), heads
    size = q.shape[-1] // count
    q = q.view(tokens, count, size).transpose(0, 1)
    k, v = (x.view(tokens, groups, size).transpose(0, 1) for x in (k, v))
    k, v = (x.repeat_interleave(count // groups, 0) for x in (k, v))
    scores = q @ k.transpose(1, 2) / sqrt(size)
    hidden = torch.ones(tokens, tokens, dtype=torch.bool).triu(1)
    shares = scores.masked_fill(hidden, float("-inf")).softmax(-1)
    return (shares @ v).transpose(0, 1).reshape(tokens, -1)


class Gpt2Attention(nn.Module):
    """Attention with one matrix of queries, keys and values."""

    def __init__(self, features: int, heads: int) -> None:
        super().__init__()
        self.heads = heads
        self.c_attn, self.c_proj = Conv1D(features, 3 * features), Conv1D(features, features)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        """Return features of the same tokens."""
        q, k, v = self.c_attn(x).chunk(3, -1)
        return self.c_proj(attended(q, k, v, (self.heads, self.heads)))


class Gpt2Hidden(nn.Module):
    """Two matrices with a GELU between."""

    def __init__(self, features: int, hidden: int) -> None:
        super().__init__()
        self.c_fc, self.c_proj = Conv1D(features, hidden), Conv1D(hidden, features)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        """Return features of the same tokens."""
        return self.c_proj(functional.gelu(self.c_fc(x), approximate="tanh"))


class Gpt2Layer(nn.Module):
    """A layer of GPT-2."""

    def __init__(self, features: int, heads: int, hidden: int) -> None:
        super().__init__()
        self.ln_1, self.ln_2 = nn.LayerNorm(features), nn.LayerNorm(features)
        self.attn, self.mlp = Gpt2Attention(features, heads), Gpt2Hidden(features, hidden)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        """Return features of the same tokens."""
        x = x + self.attn(self.ln_1(x))
        return x + self.mlp(self.ln_2(x))


class Gpt2(nn.Module):
    """GPT-2 (Radford et al., 2019)."""

    def __init__(
        self, layers: int, features: int, heads: int, hidden: int, vocabulary: int, positions: int
    ) -> None:
        super().__init__()
        self.wte, self.wpe = nn.Embedding(vocabulary, features), nn.Embedding(positions, features)
        self.h = nn.ModuleList(Gpt2Layer(features, heads, hidden) for _ in range(layers))
        self.ln_f = nn.LayerNorm(features)
        for table in (self.wte, self.wpe):
            nn.init.normal_(table.weight, 0, 0.02)

    def forward(self, tokens: torch.Tensor) -> torch.Tensor:
        """Return the logits behind every token."""
        x = self.wte(tokens) + self.wpe(torch.arange(len(tokens)))
        for layer in self.h:
            x = layer(x)
        return self.ln_f(x) @ self.wte.weight.T


def turned(x: torch.Tensor, base: float) -> torch.Tensor:
    """Return features of heads (tokens x heads x features) turned by the angles of positions."""
    tokens, half = len(x), x.shape[-1] // 2
    rates = base ** (-torch.arange(half, dtype=torch.float64) / half)
    angles = torch.arange(tokens)[:, None, None] * rates
    cosine, sine = angles.cos().float(), angles.sin().float()
    first, second = x[..., :half], x[..., half:]
    return torch.cat([first * cosine - second * sine, first * sine + second * cosine], -1)


class LlamaAttention(nn.Module):
    """Attention of grouped queries with rotary positions."""

    def __init__(self, features: int, heads: tuple[int, int], size: int, base: float) -> None:
        super().__init__()
        self.heads, self.size, self.base = heads, size, base
        count, groups = heads
        self.q_proj = nn.Linear(features, count * size, bias=False)
        self.k_proj = nn.Linear(features, groups * size, bias=False)
        self.v_proj = nn.Linear(features, groups * size, bias=False)
        self.o_proj = nn.Linear(count * size, features, bias=False)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        """Return features of the same tokens."""
        tokens = len(x)
        q, k = (m(x).view(tokens, -1, self.size) for m in (self.q_proj, self.k_proj))
        q, k = (turned(part, self.base).reshape(tokens, -1) for part in (q, k))
        return self.o_proj(attended(q, k, self.v_proj(x), self.heads))


class LlamaHidden(nn.Module):
    """Hidden features that others gate."""

    def __init__(self, features: int, hidden: int) -> None:
        super().__init__()
        self.gate_proj = nn.Linear(features, hidden, bias=False)
        self.up_proj = nn.Linear(features, hidden, bias=False)
        self.down_proj = nn.Linear(hidden, features, bias=False)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        """Return features of the same tokens."""
        return self.down_proj(functional.silu(self.gate_proj(x)) * self.up_proj(x))


class LlamaLayer(nn.Module):
    """A layer of LLaMA."""

    def __init__(
        self, features: int, heads: tuple[int, int], size: int, hidden: int, base: float
    ) -> None:
        super().__init__()
        self.input_layernorm = nn.RMSNorm(features, eps=1e-6)
        self.post_attention_layernorm = nn.RMSNorm(features, eps=1e-6)
        self.self_attn = LlamaAttention(features, heads, size, base)
        self.mlp = LlamaHidden(features, hidden)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        """Return features of the same tokens."""
        x = x + self.self_attn(self.input_layernorm(x))
        return x + self.mlp(self.post_attention_layernorm(x))


class Llama(nn.Module):
    """LLaMA (Touvron et al., 2023), with a matrix of the vocabulary of its own."""

    def __init__(
        self,
        layers: int,
        features: int,
        heads: tuple[int, int],
        hidden: int,
        vocabulary: int,
        base: float = 10000.0,
    ) -> None:
        super().__init__()
        size = features // heads[0]
        self.embed_tokens = nn.Embedding(vocabulary, features)
        self.layers = nn.ModuleList(
            LlamaLayer(features, heads, size, hidden, base) for _ in range(layers)
        )
        self.norm = nn.RMSNorm(features, eps=1e-6)
        self.lm_head = nn.Linear(features, vocabulary, bias=False)

    def forward(self, tokens: torch.Tensor) -> torch.Tensor:
        """Return the logits behind every token."""
        x = self.embed_tokens(tokens)
        for layer in self.layers:
            x = layer(x)
        return self.lm_head(self.norm(x))
