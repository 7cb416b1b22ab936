"""What the scripts about docker share."""

import exq


def space(user=None, **more):
    """A workspace for docker."""
    return exq.Workspace(backend="docker", user=user, **more)


def done(answer, **want):
    """Compares the named members of an answer."""
    exq.equal({key: answer[key] for key in want}, want, f"answer {answer}")


def none_left(ws):
    """No container is left, whatever its state."""
    exq.equal([(row["Names"], row["State"]) for row in ws.engine.containers(ws.dir)], [])
