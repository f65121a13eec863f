"""Layers of a convolutional network in numpy, trainable and exportable to ONNX, and an optimiser.

Activations are [N,H,W,C] in float32. forward(x, training) keeps what backward(gradient) needs;
backward leaves `gradients` beside `parameters` and returns the gradient of the input;
export(writer, name, x) adds the layer's ONNX nodes and returns the name of the last output.
"""
import numpy as np

BN_EPSILON, BN_MOMENTUM = 1e-5, 0.9


class Conv:
    """3x3, padding 1, no bias: the batch normalization that follows has one."""

    def __init__(self, rng, inputs, outputs):
        scale = np.sqrt(2 / (9 * inputs))  # He initialisation
        weight = scale * rng.standard_normal((3, 3, inputs, outputs))
        self.parameters = [weight.astype(np.float32)]

    def forward(self, x, training):
        n, h, w, c = x.shape
        padded = np.pad(x, ((0, 0), (1, 1), (1, 1), (0, 0)))
        taps = [padded[:, i:i + h, j:j + w] for i in range(3) for j in range(3)]
        self.columns = np.stack(taps, axis=3).reshape(n * h * w, 9 * c)
        return (self.columns @ self.parameters[0].reshape(9 * c, -1)).reshape(n, h, w, -1)

    def backward(self, gradient):
        n, h, w, outputs = gradient.shape
        weight = self.parameters[0]
        flat = gradient.reshape(-1, outputs)
        self.gradients = [(self.columns.T @ flat).reshape(weight.shape)]
        columns = (flat @ weight.reshape(-1, outputs).T).reshape(n, h, w, 3, 3, -1)
        padded = np.zeros((n, h + 2, w + 2, weight.shape[2]), np.float32)
        for i in range(3):
            for j in range(3):
                padded[:, i:i + h, j:j + w] += columns[:, :, :, i, j]
        return padded[:, 1:-1, 1:-1]

    def export(self, writer, name, x):
        weight = np.ascontiguousarray(self.parameters[0].transpose(3, 2, 0, 1))
        return writer.node("Conv", name, [x, writer.constant(name + "/weight", weight)],
                           kernel_shape=[3, 3], pads=[1, 1, 1, 1], strides=[1, 1])


class BatchNorm:
    def __init__(self, channels):
        self.parameters = [np.ones(channels, np.float32), np.zeros(channels, np.float32)]
        self.mean, self.variance = np.zeros(channels, np.float32), np.ones(channels, np.float32)

    def forward(self, x, training):
        mean, variance = self.mean, self.variance
        if training:
            mean, variance = x.mean(axis=(0, 1, 2)), x.var(axis=(0, 1, 2))
            self.mean = BN_MOMENTUM * self.mean + (1 - BN_MOMENTUM) * mean
            self.variance = BN_MOMENTUM * self.variance + (1 - BN_MOMENTUM) * variance
        self.inverse_std = (1 / np.sqrt(variance + BN_EPSILON)).astype(np.float32)
        self.normalized = (x - mean) * self.inverse_std
        return self.parameters[0] * self.normalized + self.parameters[1]

    def backward(self, gradient):
        axes = (0, 1, 2)
        self.gradients = [(gradient * self.normalized).sum(axis=axes), gradient.sum(axis=axes)]
        count = gradient.size // gradient.shape[-1]
        centred = gradient - (self.gradients[1] + self.normalized * self.gradients[0]) / count
        return self.parameters[0] * self.inverse_std * centred

    def export(self, writer, name, x):
        keys = ("scale", "bias", "mean", "var")
        values = (*self.parameters, self.mean, self.variance)
        constants = [writer.constant(f"{name}/{key}", value) for key, value in zip(keys, values)]
        return writer.node("BatchNormalization", name, [x, *constants], epsilon=BN_EPSILON)


class Relu:
    parameters = []

    def forward(self, x, training):
        self.positive = x > 0
        return x * self.positive

    def backward(self, gradient):
        return gradient * self.positive

    def export(self, writer, name, x):
        return writer.node("Relu", name, [x])


class MaxPool:
    """2x2, stride 2."""
    parameters = []

    def forward(self, x, training):
        n, h, w, c = x.shape
        windows = x.reshape(n, h // 2, 2, w // 2, 2, c)
        result = windows.max(axis=(2, 4), keepdims=True)
        self.winners = windows == result
        self.winners = self.winners / self.winners.sum(axis=(2, 4), keepdims=True)  # ties share
        return result.reshape(n, h // 2, w // 2, c)

    def backward(self, gradient):
        n, h, w, c = gradient.shape
        spread = self.winners * gradient.reshape(n, h, 1, w, 1, c)
        return spread.reshape(n, 2 * h, 2 * w, c).astype(np.float32)

    def export(self, writer, name, x):
        return writer.node("MaxPool", name, [x], kernel_shape=[2, 2], strides=[2, 2])


class Residual:
    """x + branch(x); the branch is a list of (name, layer)."""

    def __init__(self, branch):
        self.branch = branch
        self.parameters = []

    def forward(self, x, training):
        y = x
        for _, layer in self.branch:
            y = layer.forward(y, training)
        return x + y

    def backward(self, gradient):
        through = gradient
        for _, layer in reversed(self.branch):
            through = layer.backward(through)
        return gradient + through

    def export(self, writer, name, x):
        y = x
        for inner, layer in self.branch:
            y = layer.export(writer, inner, y)
        return writer.node("Add", name, [y, x])


class Classifier:
    """Global average, then a linear layer to the ten logits."""

    def __init__(self, rng, inputs, outputs):
        scale = np.sqrt(1 / inputs)
        self.parameters = [(scale * rng.standard_normal((outputs, inputs))).astype(np.float32),
                           np.zeros(outputs, np.float32)]

    def forward(self, x, training):
        self.shape = x.shape
        self.features = x.mean(axis=(1, 2))
        return self.features @ self.parameters[0].T + self.parameters[1]

    def backward(self, gradient):
        self.gradients = [gradient.T @ self.features, gradient.sum(axis=0)]
        n, h, w, c = self.shape
        spread = (gradient @ self.parameters[0] / (h * w)).reshape(n, 1, 1, c)
        return np.broadcast_to(spread, self.shape)

    def export(self, writer, name, x):
        x = writer.node("GlobalAveragePool", name + "/average", [x])
        x = writer.node("Flatten", name + "/flatten", [x], axis=1)
        constants = [writer.constant(f"{name}/fc/{key}", value)
                     for key, value in zip(("weight", "bias"), self.parameters)]
        x = writer.node("Gemm", name + "/fc", [x, *constants], transB=1)
        return writer.node("Softmax", name + "/softmax", [x], output="probabilities", axis=1)


class Adam:
    """Kingma and Ba, 2015, with decoupled weight decay (Loshchilov and Hutter, 2019)."""

    def __init__(self, layers, weight_decay):
        self.layers = layers
        self.weight_decay = weight_decay
        self.steps = 0
        self.moments = [[(np.zeros_like(p), np.zeros_like(p)) for p in layer.parameters]
                        for layer in layers]

    def step(self, rate):
        self.steps += 1
        for layer, moments in zip(self.layers, self.moments):
            rows = zip(layer.parameters, layer.gradients, moments)
            for parameter, gradient, (first, second) in rows:
                first += 0.1 * (gradient - first)
                second += 0.001 * (gradient * gradient - second)
                mean = first / (1 - 0.9 ** self.steps)
                square = second / (1 - 0.999 ** self.steps)
                decay = self.weight_decay * parameter if parameter.ndim > 1 else 0
                step = mean / (np.sqrt(square) + 1e-8) + decay
                parameter -= (rate * step).astype(np.float32)
