"""Pictures in the chat: MCP Apps, the extension io.modelcontextprotocol/ui of 2026-01-26 (SEP-1865).

A host that shows apps reads a page (an HTML document at a `ui://` address) and gives it the result of a tool;
the page draws it. What a result needs beyond its data (the unit, a trend, buttons) is in its `_meta`, which
hosts keep from models. Clients that do not declare the extension get nothing of all this.
"""
