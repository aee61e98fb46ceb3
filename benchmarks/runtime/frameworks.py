"""The training step of step.cpp by PyTorch and by JAX, as a process beside the benchmark; peer.py says how it is asked.

Arrays: parameters (float32: both kernels and the bias, one behind the other), x0 .. x7 (float32), y0 .. y7 (int32), mask0 ..
mask2 (float32, the dropout masks of the three checked steps). Checked are parameters and loss: loss and hits of the last step.
"""
from peer import array, batch, np, serve, torch_device, write

RATE, CHECKED, BATCHES = 0.4, 3, 8
w1, w2, bias = np.split(array("parameters", -1), [784 * 200, 784 * 200 + 200 * 10])
first = [w1.reshape(784, 200), w2.reshape(200, 10), bias]
xs = [array(f"x{k}", (batch, 784)) for k in range(BATCHES)]
ys = [array(f"y{k}", (batch,), np.int32) for k in range(BATCHES)]
masks = [array(f"mask{k}", (batch, 200)) for k in range(CHECKED)]


class PyTorch:
    def __init__(self):
        import torch

        self.torch, self.name = torch, "PyTorch " + torch.__version__.split("+")[0]
        self.device = torch_device()
        self.x = [torch.from_numpy(x).to(self.device) for x in xs]
        self.y = [torch.from_numpy(y.astype(np.int64)).to(self.device) for y in ys]
        self.masks = [torch.from_numpy(m).to(self.device) for m in masks]
        self.reset()

    def reset(self):
        self.p = [self.torch.from_numpy(a.copy()).to(self.device).requires_grad_() for a in first]
        self.adam = self.torch.optim.Adam(self.p, lr=1e-3, eps=1e-7, fused=True)
        self.steps = 0

    def step(self, mask=None):
        functional = self.torch.nn.functional
        x, y = self.x[self.steps % BATCHES], self.y[self.steps % BATCHES]
        h = functional.relu(x @ self.p[0])
        h = functional.dropout(h, RATE) if mask is None else h * mask
        z = self.torch.addmm(self.p[2], h, self.p[1])
        loss = functional.cross_entropy(z, y)
        self.adam.zero_grad(set_to_none=True)
        loss.backward()
        self.adam.step()
        self.steps += 1
        return loss.item(), (z.detach().argmax(1) == y).sum().item()

    def parameters(self):
        return [a.detach().cpu().numpy() for a in self.p]


class Jax:
    def __init__(self):
        import jax

        self.jax, self.name = jax, "JAX " + jax.__version__
        jax.config.update("jax_default_matmul_precision", "highest")
        jnp = jax.numpy
        self.x, self.y = [jnp.asarray(x) for x in xs], [jnp.asarray(y) for y in ys]
        self.masks = [jnp.asarray(m) for m in masks]

        def loss(p, x, y, mask):
            z = (jax.nn.relu(x @ p[0]) * mask) @ p[1] + p[2]
            picked = jnp.take_along_axis(jax.nn.log_softmax(z), y[:, None], 1)
            return -picked.mean(), (z.argmax(1) == y).sum()

        # rate and c2 carry Adam's corrections, from double: powers in float are off by 1e-5, all weights to one side.
        def update(p, m, v, rate, c2, x, y, mask):
            (value, hits), g = jax.value_and_grad(loss, has_aux=True)(p, x, y, mask)
            m = [0.9 * a + 0.1 * b for a, b in zip(m, g)]
            v = [0.999 * a + 0.001 * b * b for a, b in zip(v, g)]
            p = [a - rate * b / (jnp.sqrt(c / c2) + 1e-7) for a, b, c in zip(p, m, v)]
            return p, m, v, value, hits

        def drawn(p, m, v, rate, c2, x, y, t):
            mask = jax.random.bernoulli(jax.random.fold_in(jax.random.key(4), t), 1 - RATE, (batch, 200)) / (1 - RATE)
            return update(p, m, v, rate, c2, x, y, mask)

        self.given = jax.jit(update)
        self.drawn = jax.jit(drawn, donate_argnums=(0, 1, 2))
        self.reset()

    def reset(self):
        jnp = self.jax.numpy
        self.p = [jnp.array(a) for a in first]
        self.m, self.v = [[jnp.zeros_like(a) for a in self.p] for _ in range(2)]
        self.steps = 0

    def step(self, mask=None):
        k = self.steps % BATCHES
        self.steps += 1
        state = (self.p, self.m, self.v, 1e-3 / (1 - 0.9**self.steps), 1 - 0.999**self.steps, self.x[k], self.y[k])
        self.p, self.m, self.v, loss, hits = self.drawn(*state, self.steps) if mask is None else self.given(*state, mask)
        return float(loss), int(hits)

    def parameters(self):
        return [np.asarray(a) for a in self.p]


def check(framework):
    framework.reset()
    for k in range(CHECKED):
        result = framework.step(framework.masks[k])
    write("parameters", np.concatenate([np.asarray(a, np.float32).ravel() for a in framework.parameters()]))
    write("loss", result)


serve((PyTorch, Jax), check)
