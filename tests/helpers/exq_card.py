"""Cards of a record that were written like one before them, made whole again: what exequatur-audit(5) says, once more."""

WHOLE_MAX = 8


def _line(line, command):
    return [[span[0], span[1] + command + span[2]] if len(span) == 3 else span for span in line]


def _fact(fact, like, command):
    if isinstance(fact, int):
        return like[fact]
    if isinstance(fact, dict):
        return fact
    lines = []
    for line in fact[1:]:
        if line and isinstance(line[0], int):
            lines += like[fact[0]]["lines"][line[0] : line[0] + line[1]]
        else:
            lines.append(_line(line, command))
    return {"label": like[fact[0]]["label"], "lines": lines}


def _unpack(event, wholes, command):
    card = event["card"]
    like = wholes[card["like"] - 1]
    whole = {**{key: like[key] for key in like if key not in ("asked", "editor")}, "command": command, "seq": event["seq"]}
    whole.update({key: card[key] for key in card if key != "like"})
    whole["digest"] = event["digest"]
    for part in ("facts", "details"):
        whole[part] = [_fact(fact, like[part], whole["command"]) for fact in card[part]]
    return whole


def make_whole(events):
    """Replaces, in the events of one file, every card that was written like another."""
    wholes, commands = [], {}
    for event in events:
        if event["type"] in ("gap", "continued"):
            wholes = []
        elif event["type"] == "received":
            commands[event["seq"]] = event.get("command")
        elif event["type"] == "card":
            if "like" in event["card"]:
                event["card"] = _unpack(event, wholes, commands.get(event["seq"]))
            elif "asked" not in event["card"]:
                wholes.append(event["card"])
    return events
