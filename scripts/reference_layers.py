#!/usr/bin/env python3
"""reference_layers.py: writes the arrays with which the tests of layers compare into tests/data/layers. Needs PyTorch.

All numbers are double and of fixed seeds; channels are the last dimension. A case NAME is a function of operands.
NAME.x0.npy, NAME.x1.npy, ... are the operands, and NAME.y.npy is the result. NAME.ct.npy is a cotangent of y. It gives
the operands' cotangents NAME.g0.npy, ..., if they have one. Other results are NAME.<what>.npy. A case that has only
results uses the operands and the cotangent of another case.
"""
import itertools
import pathlib

import numpy as np
import torch
import torch.nn.functional as F

FOLDER = pathlib.Path(__file__).resolve().parent.parent / "tests" / "data" / "layers"


def random(*extents, seed):
    return torch.randn(extents, dtype=torch.float64, generator=torch.Generator().manual_seed(seed))


def save(name, x):
    np.save(FOLDER / f"{name}.npy", np.asarray(x.detach().numpy() if torch.is_tensor(x) else x, order="C"))


def case(name, f, *operands, results_only=False, **others):
    operands = [x.clone().requires_grad_() if x.is_floating_point() else x for x in operands]
    y = f(*operands)
    ct = random(*y.shape, seed=99)
    y.backward(ct)
    for i, x in enumerate(operands):
        if not results_only:
            save(f"{name}.x{i}", x)
        if x.grad is not None:
            save(f"{name}.g{i}", x.grad)
    save(f"{name}.y", y)
    if not results_only:
        save(f"{name}.ct", ct)
    for what, x in others.items():
        save(f"{name}.{what}", x)


def edges(n, size, stride, dilation, same):
    """The number of elements beyond each edge of a dimension, as TensorFlow counts them."""
    outside = max((-(-n // stride) - 1) * stride + (size - 1) * dilation + 1 - n, 0) if same else 0
    return outside // 2, outside - outside // 2


def pad(x, size, stride, dilation, same, value=0.0):  # x is (n, c, h, w)
    (top, bottom), (left, right) = (edges(x.shape[2 + d], size[d], stride, dilation, same) for d in (0, 1))
    return F.pad(x, (left, right, top, bottom), value=value)


def conv2d(stride, dilation, same):
    def f(x, k):
        x = pad(x.permute(0, 3, 1, 2), k.shape[:2], stride, dilation, same)
        return F.conv2d(x, k.permute(3, 2, 0, 1), stride=stride, dilation=dilation).permute(0, 2, 3, 1)
    return f


def max_pool(size, stride, same):
    def f(x):
        x = pad(x.permute(0, 3, 1, 2), (size, size), stride, 1, same, -np.inf)
        return F.max_pool2d(x, size, stride).permute(0, 2, 3, 1)
    return f


def average_pool(size, stride, same):
    def f(x):
        x = x.permute(0, 3, 1, 2)
        inside = pad(torch.ones_like(x), (size, size), stride, 1, same)
        x = pad(x, (size, size), stride, 1, same)
        return (F.avg_pool2d(x, size, stride) / F.avg_pool2d(inside, size, stride)).permute(0, 2, 3, 1)
    return f


def batch_norm(training):
    def f(x, scale, shift):
        mean, variance = moving[0].clone(), moving[1].clone()
        y = F.batch_norm(x.permute(0, 3, 1, 2), mean, variance, scale, shift, training, 0.01, 1e-3)
        return y.permute(0, 2, 3, 1)
    return f


def attention(causal):
    def f(q, k, v):
        q, k, v = (t.permute(0, 2, 1, 3) for t in (q, k, v))
        return F.scaled_dot_product_attention(q, k, v, is_causal=causal).permute(0, 2, 1, 3)
    return f


FOLDER.mkdir(parents=True, exist_ok=True)

images = random(3, 7, 6, 4, seed=1)
kernel = random(3, 2, 4, 6, seed=2)
case("conv_same", conv2d(1, 1, True), images, kernel)
case("conv_same_stride", conv2d(2, 1, True), images, random(4, 5, 4, 6, seed=3))
case("conv_valid_stride", conv2d(2, 1, False), images, kernel)
case("conv_same_dilation", conv2d(1, 2, True), images, kernel)
case("conv_one", conv2d(1, 1, True), images, random(1, 1, 4, 6, seed=4))

case("max_pool_valid", max_pool(2, 2, False), images)
case("max_pool_same", max_pool(3, 2, True), images)
case("average_pool_valid", average_pool(2, 1, False), images)
case("average_pool_same", average_pool(3, 2, True), images)
case("global_average_pool", lambda x: x.mean((1, 2)), images)

# A mean that is large compared with the deviation: sums of plain squares would lose digits.
x = random(5, 2, 3, 4, seed=5) + 50
moving = random(4, seed=6), random(4, seed=7) ** 2
factors = random(4, seed=8), random(4, seed=9)
mean, variance = x.mean((0, 1, 2)), x.var((0, 1, 2), unbiased=False)
case("batch_norm", batch_norm(True), x, *factors, mean=moving[0], variance=moving[1],
     mean_after=0.99 * moving[0] + 0.01 * mean, variance_after=0.99 * moving[1] + 0.01 * variance)
case("batch_norm_inference", batch_norm(False), x, *factors)


def shards(n, parts, cyclic):
    """The indices 0 to n - 1 in parts: balanced, or in blocks of 2 assigned round-robin."""
    return [[i for i in range(n) if i // 2 % parts == p] for p in range(parts)] if cyclic else np.array_split(np.arange(n), parts)


def batch_norm_per_shard(parts, cyclic):
    """Normalises each shard of images by its own statistics; the first three dimensions are split."""
    def f(x, scale, shift):
        y = torch.zeros_like(x)
        for images, rows, columns in itertools.product(*(shards(n, p, cyclic) for n, p in zip(x.shape, parts))):
            at = np.ix_(images, rows, columns)
            if x[at].numel():
                y[at] = batch_norm(True)(x[at], scale, shift)
        return y
    return f


# The shards of batch_norm's images on 1, 2 and 4 ranks.
for parts in sorted(p for p in itertools.product((1, 2, 4), repeat=3) if np.prod(p) <= 4):
    for cyclic in (False, True):
        name = "batch_norm_" + ("cyclic_" if cyclic else "by_") + "".join(map(str, parts))
        if not cyclic or sorted(parts)[1] == 1 < max(parts):
            case(name, batch_norm_per_shard(parts, cyclic), x, *factors, results_only=True)

rows = random(5, 3, 4, seed=10) + 3
case("layer_norm", lambda x, a, b: F.layer_norm(x, (4,), a, b, 1e-5), rows, *factors)
case("layer_norm_two", lambda x, a, b: F.layer_norm(x, (3, 4), a, b, 1e-5), rows, random(3, 4, seed=11), random(3, 4, seed=12))
case("rms_norm", lambda x, a: F.rms_norm(x, (4,), a, 1e-5), rows, factors[0])

indices = torch.tensor([[0, 6, 3], [6, 6, 1], [2, 4, 0], [5, 1, 6], [3, 0, 2]], dtype=torch.int64)
case("embedding", lambda table, i: F.embedding(i, table), random(7, 4, seed=13), indices)

heads = [random(3, 5, 4, 2, seed=s) for s in (14, 15, 16)]
case("attention", attention(False), *heads)
case("attention_causal", attention(True), *heads)


def multi_head(causal):
    def f(x, qkv, out):  # kernels (3, channels, heads, numbers) and (heads, numbers, channels) as PyTorch's matrices
        channels, heads = qkv.shape[1:3]
        hidden = torch.ones(x.shape[1], x.shape[1], dtype=torch.bool).triu(1) if causal else None
        t = x.transpose(0, 1)
        y, _ = F.multi_head_attention_forward(
            t, t, t, channels, heads, qkv.permute(0, 2, 3, 1).reshape(-1, channels), None, None, None, False, 0.0,
            out.reshape(-1, channels).T, None, attn_mask=hidden, need_weights=False)
        return y.transpose(0, 1)
    return f


operands = random(3, 5, 6, seed=17), random(3, 6, 3, 2, seed=18), random(3, 2, 6, seed=19)
case("multi_head", multi_head(False), *operands)
case("multi_head_causal", multi_head(True), *operands)


# ---- other parts of networks: uneven numbers of rows, and 24 if a dimension must divide by the ranks ----
def philox(key, n):
    """Words of Philox4x32-10 for counter n (Salmon, Moraes, Dror and Shaw, SC'11), least significant first."""
    c, k = [n & 0xFFFFFFFF, n >> 32, 0, 0], [key & 0xFFFFFFFF, key >> 32]
    for _ in range(10):
        p, q = 0xD2511F53 * c[0], 0xCD9E8D57 * c[2]
        c = [q >> 32 ^ c[1] ^ k[0], q & 0xFFFFFFFF, p >> 32 ^ c[3] ^ k[1], p & 0xFFFFFFFF]
        k = [(k[0] + 0x9E3779B9) & 0xFFFFFFFF, (k[1] + 0xBB67AE85) & 0xFFFFFFFF]
    return c


def kept(key, rate, extents):
    """1 for each element that dropout keeps: its number, of 24 bits in [0, 1), is not less than the rate as a float."""
    count = int(np.prod(extents))
    numbers = [word // 256 / 2**24 for block in range(-(-count // 4)) for word in philox(key, block)][:count]
    return torch.from_numpy((np.array(numbers) >= np.float32(rate)).astype(np.float64).reshape(extents))


assert philox(0, 0) == [0x6627E8D5, 0xE169C58D, 0xBC57AC4C, 0x9B00DBD8]  # the authors' first test vector

x, wide, narrow, bias = (random(*extents, seed=s) for s, extents in ((200, (7, 5)), (201, (5, 6)), (202, (6, 5)), (203, (6,))))
case("product", lambda x, k: x @ k, x, wide)
case("dense", lambda x, k, b: F.relu(F.linear(x, k.T, b)), x, wide, bias)
case("residual", lambda x, k, b, l: x + F.linear(torch.tanh(F.linear(x, k.T, b)), l.T), x, wide, bias, narrow)
with_zero = x.clone()
with_zero[2, 3] = 0
case("relu", F.relu, with_zero)
case("tanh", torch.tanh, 3 * x)
ends = torch.cat([2 * random(30, seed=210), torch.tensor([0.0, -30.0, 30.0, -800.0, 800.0], dtype=torch.float64)]).reshape(7, 5)
case("sigmoid", torch.sigmoid, ends)
case("gelu", F.gelu, ends)
case("gelu_tanh", lambda x: F.gelu(x, approximate="tanh"), ends)
case("silu", F.silu, ends)
case("leaky_relu", lambda x: F.leaky_relu(x, 0.2), ends)
case("dropout", lambda x: x * kept(1234567890123, 0.4, x.shape) / (1 - 0.4), x)
case("mean_squared_error", F.mse_loss, x, random(7, 5, seed=204))

logits = 3 * random(7, 3, 5, seed=205)
logits[1, 1] *= 300  # exp would overflow
labels = torch.randint(0, 5, (7, 3), generator=torch.Generator().manual_seed(206))
case("softmax", lambda z: F.softmax(z, -1), logits)
case("log_softmax", lambda z: F.log_softmax(z, -1), logits)


def cross_entropy(z, labels, reduction="mean"):
    return F.cross_entropy(z.flatten(0, 1), labels.flatten(), reduction=reduction, ignore_index=-1)


case("labelled_cross_entropy", cross_entropy, logits, labels)
weights = random(7, 3, seed=207) ** 2
weights[0, 1] = weights[5, 2] = 0
labels[0, 1] = -1  # no class; the weight there is 0
case("weighted_cross_entropy", lambda z, l: (weights.flatten() * cross_entropy(z, l, "none")).sum(), logits, labels, weights=weights)

# From distributions, one of which is a label, and from targets, some of them 0 and 1.
row_logits = 3 * random(13, 6, seed=211)
distributions = F.softmax(random(13, 6, seed=212), 1)
distributions[0] = torch.eye(6)[2]
targets = (random(13, 6, seed=213) > 0).double() * 0.9 + 0.05
targets[1] = torch.tensor([0.0, 1.0, 0.0, 1.0, 1.0, 0.0])
case("cross_entropy", F.cross_entropy, row_logits, distributions)
case("binary_cross_entropy_from_logits", F.binary_cross_entropy_with_logits, row_logits, targets)
# As F.binary_cross_entropy, but with a derivative with respect to the targets.
case("binary_cross_entropy", lambda p, t: -(t * torch.log(p) + (1 - t) * torch.log(1 - p)).mean(), torch.sigmoid(2 * random(13, 6, seed=214)), targets)

case("flatten", lambda x: x.flatten(1), random(5, 24, 2, seed=208))
case("reshape", lambda x: x.reshape(72, 2, 2), random(24, 3, 4, seed=209))


def turned(x):  # x is (batch, positions, heads, numbers); rotates pairs of numbers (i, i + half) by position
    half = x.shape[3] // 2
    angles = torch.arange(x.shape[1])[:, None, None] * 1e4 ** (-torch.arange(half, dtype=torch.float64) / half)
    return torch.view_as_real(torch.complex(x[..., :half], x[..., half:]) * torch.polar(torch.ones_like(angles), angles)).transpose(3, 4).flatten(3)


def rotary_attention(x, qkv, out):
    q, k, v = torch.einsum("bti,cihd->cbthd", x, qkv)
    scores = torch.einsum("bqhd,bkhd->bhqk", turned(q), turned(k)) / q.shape[3] ** 0.5
    hidden = torch.ones(x.shape[1], x.shape[1], dtype=torch.bool).triu(1)
    return torch.einsum("bhqk,bkhd,hdo->bqo", F.softmax(scores.masked_fill(hidden, -np.inf), -1), v, out)


class Transformer:
    """A transformer with layer norms before attention and before the dense layers, rotary attention, and one table for
    characters at both ends. Its parameters are in the order of examples/support/transformer.hpp."""
    def __init__(self, vocabulary, channels, heads, layers):
        seeds = iter(range(100, 200))

        def parameter(*extents, mean=0.0):
            return (mean + 0.3 * random(*extents, seed=next(seeds))).requires_grad_()

        def norm():
            return parameter(channels, mean=1.0), parameter(channels)

        self.tokens = parameter(vocabulary, channels)
        self.layers = [(*norm(), parameter(3, channels, heads, channels // heads), parameter(heads, channels // heads, channels),
                        *norm(), parameter(channels, 4 * channels), parameter(4 * channels),
                        parameter(4 * channels, channels), parameter(channels)) for _ in range(layers)]
        self.last = norm()

    def parameters(self):
        return [self.tokens, *(p for layer in self.layers for p in layer), *self.last]

    def flat(self):
        return torch.cat([p.detach().flatten() for p in self.parameters()])

    def loss(self, text):
        channels = self.tokens.shape[1]
        x = F.embedding(text[:, :-1], self.tokens)
        for scale1, shift1, qkv, out, scale2, shift2, up, up_bias, down, down_bias in self.layers:
            x = x + rotary_attention(F.layer_norm(x, (channels,), scale1, shift1, 1e-5), qkv, out)
            h = F.layer_norm(x, (channels,), scale2, shift2, 1e-5)
            x = x + F.linear(F.gelu(F.linear(h, up.T, up_bias)), down.T, down_bias)
        logits = F.linear(F.layer_norm(x, (channels,), *self.last, 1e-5), self.tokens)
        return F.cross_entropy(logits.flatten(0, 1), text[:, 1:].flatten())


model = Transformer(vocabulary=7, channels=12, heads=3, layers=2)
text = torch.randint(0, 7, (10, 3, 6), generator=torch.Generator().manual_seed(20))
save("transformer.text", text)
save("transformer.before", model.flat())
optimizer = torch.optim.AdamW(model.parameters(), lr=0.02, betas=(0.9, 0.99), eps=1e-4, weight_decay=0.1)
losses, norms = [], []
for batch in text:
    optimizer.zero_grad()
    loss = model.loss(batch)
    loss.backward()
    norm = torch.cat([p.grad.flatten() for p in model.parameters()]).norm()
    for p in model.parameters():
        p.grad *= min(1.0, 1.0 / norm)
    optimizer.step()
    losses.append(loss.item())
    norms.append(norm.item())
save("transformer.losses", np.array(losses))
save("transformer.norms", np.array(norms))
save("transformer.after", model.flat())
