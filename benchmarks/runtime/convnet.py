"""The training step of convnet.cpp by PyTorch, as a process beside the benchmark; peer.py says how it is asked.

Arrays: p0 .. p9 (float32, the parameters in the order of the network; kernels [h][w][in][out]), x0 .. x7 (float32),
y0 .. y7 (int32), mask0, mask1 (float32, the dropout masks of the two checked steps). Checked are p0 .. p9 and loss: loss and
hits of the last step.
"""
from peer import array, batch, np, serve, torch_device, write

RATE, CHECKED, BATCHES = 0.5, 2, 8
EXTENTS = [(3, 3, 1, 12), (12,), (6, 6, 12, 24), (24,), (6, 6, 24, 32), (32,), (32, 256), (256,), (256, 10), (10,)]
first = [array(f"p{k}", e) for k, e in enumerate(EXTENTS)]
xs = [array(f"x{k}", (batch, 1, 28, 28)) for k in range(BATCHES)]
ys = [array(f"y{k}", (batch,), np.int32) for k in range(BATCHES)]
masks = [array(f"mask{k}", (batch, 256)) for k in range(CHECKED)]


class PyTorch:
    def __init__(self, channels_last=False):
        import torch

        self.torch, self.name = torch, "PyTorch " + torch.__version__.split("+")[0] + (" channels last" if channels_last else "")
        self.device = torch_device()
        self.format = torch.channels_last if channels_last else torch.contiguous_format
        self.x = [torch.from_numpy(x).to(self.device).contiguous(memory_format=self.format) for x in xs]
        self.y = [torch.from_numpy(y.astype(np.int64)).to(self.device) for y in ys]
        self.masks = [torch.from_numpy(m).to(self.device) for m in masks]
        self.reset()

    def reset(self):
        torch = self.torch

        def parameter(a):
            t = torch.from_numpy(a.copy()).to(self.device)
            if t.dim() == 4:
                t = t.permute(3, 2, 0, 1).contiguous(memory_format=self.format)
            return t.requires_grad_()

        self.p = [parameter(a) for a in first]
        self.moving = [(torch.zeros(c, device=self.device), torch.ones(c, device=self.device)) for c in (12, 24, 32)]
        self.adam = torch.optim.Adam(self.p, lr=1e-3, eps=1e-7, fused=True)
        self.steps = 0

    def step(self, mask=None):
        functional = self.torch.nn.functional
        h, y, p = self.x[self.steps % BATCHES] * (1 / 255), self.y[self.steps % BATCHES], self.p
        for k, (stride, padding) in enumerate(((1, 1), (2, 2), (2, 2))):
            h = functional.conv2d(h, p[2 * k], stride=stride, padding=padding)
            mean, variance = self.moving[k]
            h = functional.relu(functional.batch_norm(h, mean, variance, None, p[2 * k + 1], True, 0.01, 1e-3))
        h = functional.relu(self.torch.addmm(p[7], h.mean((2, 3)), p[6]))
        h = functional.dropout(h, RATE) if mask is None else h * mask
        z = self.torch.addmm(p[9], h, p[8])
        loss = functional.cross_entropy(z, y)
        self.adam.zero_grad(set_to_none=True)
        loss.backward()
        self.adam.step()
        self.steps += 1
        return loss.item(), (z.detach().argmax(1) == y).sum().item()


def check(framework):
    framework.reset()
    for mask in framework.masks:
        result = framework.step(mask)
    for k, t in enumerate(framework.p):
        a = t.detach().cpu().numpy()
        write(f"p{k}", np.ascontiguousarray(a.transpose(2, 3, 1, 0)) if a.ndim == 4 else a)
    write("loss", result)


serve((PyTorch, lambda: PyTorch(channels_last=True)), check)
