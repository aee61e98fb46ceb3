"""The products of product.cpp by JAX, as a process beside the benchmark; peer.py says how it is asked.

BATCH is n. Arrays: mesh (float32: the sizes of both axes), complex (float32: 1 or 0). Operands and result are sharded over both
axes, on as many devices of the host as there are ranks. Checked is the product: its real parts, then its imaginary parts.
"""
import os

from peer import array, batch as n, cores, np, on_gpu, serve, write

rows, columns = (int(size) for size in array("mesh", (2,)))
kind = np.complex128 if array("complex", (1,))[0] else np.float64


def small(salt):
    return ((np.arange(n) * 7 + salt) % 4).astype(np.float64)


def outer_product(salt):
    return np.outer(small(salt), small(salt + 1)).astype(kind) * (1 + 2j if kind == np.complex128 else 1)


class Jax:
    def __init__(self):
        if not on_gpu:
            os.environ["XLA_FLAGS"] = f"--xla_force_host_platform_device_count={cores}"
        import jax

        self.jax, self.name = jax, "JAX " + jax.__version__
        jax.config.update("jax_enable_x64", True)
        jax.config.update("jax_default_matmul_precision", "highest")
        devices = np.array(jax.devices()[: rows * columns]).reshape(rows, columns)
        blocks = jax.sharding.NamedSharding(jax.sharding.Mesh(devices, ("p", "q")), jax.sharding.PartitionSpec("p", "q"))
        self.a, self.b = (jax.device_put(outer_product(salt), blocks) for salt in (1, 5))
        self.multiply = jax.jit(jax.numpy.matmul, out_shardings=blocks)

    def step(self):
        return self.multiply(self.a, self.b).block_until_ready()

    def reset(self):
        pass


def check(framework):
    c = np.asarray(framework.step())
    write("product", np.concatenate([c.real.ravel(), c.imag.ravel()]))


serve((Jax,), check)
