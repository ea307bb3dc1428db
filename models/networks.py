"""The neural networks: inference with batches as published, PyTorch's layouts of weights."""

from __future__ import annotations

from sketch import Sketch

__all__ = ["networks"]

BATCH_NORM = "(1 / sqrt(1 + 1e-5)) + 0.0"
"""Scale and shift of a batch normalization with fresh statistics, as published."""


def networks() -> list[Sketch]:
    """Return all programs of this file."""
    return [
        feed_forward(),
        multi_head_attention(),
        autoencoder(),
        residual_mlp(),
        dwsconv_block(),
        residual_block(),
    ]


def linear(
    s: Sketch,
    layer: str,
    source: str,
    sizes: tuple[int, int, int],
    layout: str,
    product: str = "gemm",
) -> str:
    """Add a copy of the weight and the product with it; return its sum with the bias, as text.

    Parameters
    ----------
    sizes
        Rows of the batch, features in (k), features out (j).
    layout
        Subscripts of the copied weight: ``[j][k]`` as it is given, ``[k][j]`` transposed.
    product
        What the node of the product is called, after the layer.
    """
    rows, inner, outer = sizes
    loops = {"j": outer, "k": inner} if layout == "[j][k]" else {"k": inner, "j": outer}
    s.array("weight", **{f"W_{layer}": (outer, inner), f"b_{layer}": (outer,)})
    s.array("internal", **{f"Wc_{layer}": tuple(loops.values()), f"xW_{layer}": (rows, outer)})
    s.node(f"{layer}_weight", f"Wc_{layer}{layout} = W_{layer}[j][k]", **loops)
    body = f"xW_{layer}[i][j] += {source}[i][k] * Wc_{layer}{layout}"
    s.node(f"{layer}_{product}", body, i=rows, j=outer, k=inner)
    return f"xW_{layer}[i][j] + b_{layer}[j]"


def feed_forward() -> Sketch:
    """Feed-forward block of a transformer: 512 tokens, 128 features, 256 hidden."""
    s = Sketch("transformers", "feed_forward", "y = relu(x W1^T + b1) W2^T + b2")
    s.array("input", x=(1, 512, 128))
    s.array("internal", xc=(512, 128), h=(512, 256))
    s.array("output", y=(1, 512, 128))
    s.node("x_copy", "xc[i][j] = x[0][i][j]", i=512, j=128)
    hidden = linear(s, "fc1", "xc", (512, 128, 256), "[k][j]")
    s.node("fc1_bias_relu", f"h[i][j] = relu({hidden})", i=512, j=256)
    result = linear(s, "fc2", "h", (512, 256, 128), "[k][j]")
    s.node("fc2_bias", f"y[0][i][j] = {result}", i=512, j=128)
    return s


def multi_head_attention() -> Sketch:
    """Multi-head self-attention: 64 tokens, 128 features, 8 heads of 16."""
    s = Sketch("transformers", "multi_head_attention", "Self-attention with 8 heads of 16 features")
    sizes, heads = (64, 128, 128), {"h": 8, "i": 64, "d": 16}
    s.array("input", x=(1, 64, 128))
    s.array("internal", xc=(64, 128), Q=(64, 128), K=(64, 128), V=(64, 128))
    s.array("internal", Qh=(8, 64, 16), KhT=(8, 16, 64), S=(8, 64, 64), Ss=(8, 64, 64))
    s.array("internal", smax=(8, 64), sexp=(8, 64, 64), ssum=(8, 64), P=(8, 64, 64))
    s.array("internal", Vh=(8, 64, 16), C=(8, 64, 16), Ct=(64, 8, 16), Cm=(64, 128))
    s.array("output", y=(1, 64, 128))
    s.node("x_copy", "xc[i][j] = x[0][i][j]", i=64, j=128)
    for letter in "QKV":
        layer = letter.lower()
        projected = linear(s, layer, "xc", sizes, "[k][j]", "proj")
        s.node(f"{layer}_bias", f"{letter}[i][j] = {projected}", i=64, j=128)
    s.node("q_heads", "Qh[h][i][d] = Q[i][16*h + d]", **heads)
    s.node("k_heads", "KhT[h][d][i] = K[i][16*h + d]", h=8, d=16, i=64)
    s.node("scores", "S[h][i][j] += Qh[h][i][d] * KhT[h][d][j]", h=8, i=64, j=64, d=16)
    rows = {"h": 8, "i": 64, "j": 64}
    s.node("scale", "Ss[h][i][j] = S[h][i][j] / 4", **rows)
    s.node("softmax_max", "smax[h][i] = max(smax[h][i], Ss[h][i][j])", **rows)
    s.node("softmax_exp", "sexp[h][i][j] = exp(Ss[h][i][j] - smax[h][i])", **rows)
    s.node("softmax_sum", "ssum[h][i] += sexp[h][i][j]", **rows)
    s.node("softmax_div", "P[h][i][j] = sexp[h][i][j] / ssum[h][i]", **rows)
    s.node("v_heads", "Vh[h][i][d] = V[i][16*h + d]", **heads)
    s.node("context", "C[h][i][d] += P[h][i][j] * Vh[h][j][d]", **heads, j=64)
    s.node("context_transpose", "Ct[i][h][d] = C[h][i][d]", **heads)
    s.node("context_merge", "Cm[i][j] = Ct[i][j // 16][j % 16]", i=64, j=128)
    result = linear(s, "out", "Cm", sizes, "[k][j]", "proj")
    s.node("out_bias", f"y[0][i][j] = {result}", i=64, j=128)
    return s


def autoencoder() -> Sketch:
    """Autoencoder for 28x28 images, batch of 32."""
    widths = (784, 256, 128, 64, 128, 256, 784)
    s = Sketch("mlps", "autoencoder", "784-256-128-64-128-256-784 with relu, sigmoid at the end")
    s.array("input", x=(32, 784))
    s.array("output", y=(32, 784))
    source = "x"
    for number, width in enumerate(widths[1:], start=1):
        layer = f"fc{number}"
        summed = linear(s, layer, source, (32, widths[number - 1], width), "[j][k]")
        source, after = ("y", "sigmoid") if number == 6 else (f"h{number}", "relu")
        if source != "y":
            s.array("internal", **{source: (32, width)})
        if number == 3:
            s.node(f"{layer}_bias", f"{source}[i][j] = {summed}", i=32, j=width)
        else:
            s.node(f"{layer}_bias_{after}", f"{source}[i][j] = {after}({summed})", i=32, j=width)
    return s


def residual_mlp() -> Sketch:
    """Perceptron with a residual path, batch of 8."""
    s = Sketch("mlps", "residual_mlp", "1024-512, relu, 512-512, plus residual, relu, 256, 10")
    s.array("input", x=(8, 1024))
    s.array("internal", r=(8, 512), a=(8, 512), h2=(8, 512), h3=(8, 256))
    s.array("output", y=(8, 10))
    residual = linear(s, "fc1", "x", (8, 1024, 512), "[j][k]")
    s.node("fc1_bias", f"r[i][j] = {residual}", i=8, j=512)
    s.node("relu1", "a[i][j] = relu(r[i][j])", i=8, j=512)
    inner = linear(s, "fc2", "a", (8, 512, 512), "[j][k]")
    s.node("fc2_bias_add_relu", f"h2[i][j] = relu({inner} + r[i][j])", i=8, j=512)
    hidden = linear(s, "fc3", "h2", (8, 512, 256), "[j][k]")
    s.node("fc3_bias", f"h3[i][j] = {hidden}", i=8, j=256)
    result = linear(s, "fc4", "h3", (8, 256, 10), "[j][k]")
    s.node("fc4_bias", f"y[i][j] = {result}", i=8, j=10)
    return s


def pad(s: Sketch, number: str, source: str, sizes: tuple[int, int]) -> str:
    """Add the two nodes of a zero border of 1, channels and side given; return its array."""
    channels, side = sizes
    padded = f"{source[0]}p{number}"
    s.array("internal", **{padded: (channels, side + 2, side + 2)})
    s.node(f"pad{number}_zero", f"{padded}[c][h][w] = 0", c=channels, h=side + 2, w=side + 2)
    copied = f"{padded}[c][h + 1][w + 1] = {source}[c][h][w]"
    s.node(f"pad{number}_copy", copied, c=channels, h=side, w=side)
    return padded


def dwsconv_block() -> Sketch:
    """Depthwise separable convolution, 8 channels of 112x112."""
    s = Sketch("cnns", "dwsconv_block", "Depthwise 3x3, pointwise, batch normalization, relu")
    s.array("input", x=(1, 8, 112, 112))
    s.array("weight", W_dw=(8, 3, 3), W_pw=(8, 8, 1, 1))
    padded = pad(s, "", "x[0]", (8, 112))
    s.array("internal", dw=(8, 112, 112), pw=(8, 112, 112))
    s.array("output", y=(1, 8, 112, 112))
    body = f"dw[c][h][w] += {padded}[c][h + kh][w + kw] * W_dw[c][kh][kw]"
    s.node("depthwise", body, h=112, w=112, c=8, kh=3, kw=3)
    body = "pw[o][h][w] += dw[c][h][w] * W_pw[o][c][0][0]"
    s.node("pointwise", body, o=8, h=112, w=112, c=8)
    body = f"y[0][o][h][w] = relu(pw[o][h][w] * {BATCH_NORM})"
    s.node("bn_relu", body, o=8, h=112, w=112)
    return s


def residual_block() -> Sketch:
    """Two convolutions and a residual path, as in ResNet; 16 channels of 56x56."""
    s = Sketch("cnns", "residual_block", "Two 3x3 convolutions with a residual path")
    s.array("input", x=(1, 16, 56, 56))
    s.array("weight", W1=(16, 16, 3, 3), W2=(16, 16, 3, 3))
    s.array("output", y=(1, 16, 56, 56))
    s.array("internal", c1=(16, 56, 56), a=(16, 56, 56), c2=(16, 56, 56))
    plane = {"o": 16, "h": 56, "w": 56}
    for number, source in (("1", "x[0]"), ("2", "a")):
        padded = pad(s, number, source, (16, 56))
        body = f"c{number}[o][h][w] += {padded}[c][h + kh][w + kw] * W{number}[o][c][kh][kw]"
        s.node(f"conv{number}", body, **plane, c=16, kh=3, kw=3)
        if number == "1":
            s.node("bn1_relu", f"a[o][h][w] = relu(c1[o][h][w] * {BATCH_NORM})", **plane)
    body = f"y[0][o][h][w] = relu(c2[o][h][w] * {BATCH_NORM} + x[0][o][h][w])"
    s.node("bn2_add_relu", body, **plane)
    return s
