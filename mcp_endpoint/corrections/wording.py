"""What the texts of the 22 tools say otherwise to a key that may correct and delete."""

# Sentences of mcp_endpoint/instructions.py and mcp_endpoint/tools.py, and what is said in their place.
SENTENCES = {
    "Tools cannot change what is saved: calling again saves once more. Only log_nutrition replaces its day, "
    "and set_goal the whole current goal. Corrections are made in the app.": (
        "A log_ or create_ tool that is called again saves once more; only log_nutrition replaces its day, "
        "and set_goal the whole current goal. The user lets you correct and delete: update_ tools change "
        "what is saved; delete_, remove_, undo_ and clear_ tools delete it. Before deleting, say what would "
        "go and wait for a yes. Results hold what was there before."
    ),
    "Tools cannot change what is saved: calling again, with an id or without, saves another; corrections are "
    "made in the app.": "Calling again, with an id or without, saves another; update_workout corrects one.",
    " The user edits the schedule in the app.": "",
}


def for_correcting(text: str) -> str:
    for sentence, other in SENTENCES.items():
        text = text.replace(sentence, other)
    return text
