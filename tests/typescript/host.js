// A host of MCP Apps: the official bridge between a page and whoever calls the tools, which is the test.

import { AppBridge, PostMessageTransport } from "@modelcontextprotocol/ext-apps/app-bridge";

// Shows the page at an address in a frame, and gives it the result of a call with these arguments.
window.showPage = async ({ address, theme, arguments: args, result }) => {
  const frame = document.createElement("iframe");
  frame.sandbox = "allow-scripts";
  frame.title = "Page";
  document.body.replaceChildren(frame);
  const capabilities = { serverTools: {} };
  const bridge = new AppBridge(null, { name: "host", version: "1.0.0" }, capabilities, { hostContext: { theme } });
  bridge.oncalltool = (params) => window.callTool(params);
  bridge.addEventListener("sizechange", ({ height }) => (frame.style.height = `${height}px`));
  const initialized = new Promise((resolve) => bridge.addEventListener("initialized", resolve));
  await bridge.connect(new PostMessageTransport(frame.contentWindow, frame.contentWindow));
  frame.src = address;
  await initialized;
  await bridge.sendToolInput({ arguments: args });
  await bridge.sendToolResult(result);
  window.bridge = bridge;
};
