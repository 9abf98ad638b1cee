// Speaks with the host, which shows this page in a frame: JSON-RPC 2.0 by postMessage (MCP Apps, "Communication
// Protocol"). `host.show(draw)` draws each result; `host.call(tool, arguments)` calls a tool of the same server.

const host = (() => {
  const waiting = new Map();
  let last = 0;
  let draw = null;
  let given = {}; // the arguments of the call whose result is shown

  const post = (message) => parent.postMessage({ jsonrpc: "2.0", ...message }, "*");

  function request(method, params) {
    const id = ++last;
    post({ id, method, params });
    return new Promise((resolve, reject) => waiting.set(id, { resolve, reject }));
  }

  function settle({ id, result, error }) {
    const { resolve, reject } = waiting.get(id) ?? {};
    waiting.delete(id);
    if (error) reject?.(new Error(error.message));
    else resolve?.(result);
  }

  // The colours and fonts of the host, where it has some; page.css has others for those it lacks.
  function dress({ theme, styles }) {
    const root = document.documentElement;
    if (theme) root.style.colorScheme = theme;
    for (const [name, value] of Object.entries(styles?.variables ?? {})) {
      if (value) root.style.setProperty(name, value);
    }
    dispatchEvent(new Event("dress"));
  }

  const notifications = {
    "ui/notifications/tool-input": (params) => (given = params.arguments ?? {}),
    "ui/notifications/tool-result": (params) => draw(params, given),
    "ui/notifications/host-context-changed": dress,
  };
  const requests = { ping: () => ({}), "ui/resource-teardown": () => ({}) };

  function answer({ id, method }) {
    if (method in requests) post({ id, result: requests[method]() });
    else post({ id, error: { code: -32601, message: "Unknown method" } });
  }

  addEventListener("message", ({ source, data }) => {
    if (source !== parent || data?.jsonrpc !== "2.0") return;
    if (data.method === undefined) settle(data);
    else if (data.id === undefined) notifications[data.method]?.(data.params ?? {});
    else answer(data);
  });

  const tellSize = () => {
    const { offsetWidth: width, offsetHeight: height } = document.body;
    post({ method: "ui/notifications/size-changed", params: { width, height } });
  };

  async function start() {
    const { hostContext } = await request("ui/initialize", {
      protocolVersion: "2026-01-26",
      appInfo: { name: document.title, version: "1.0.0" },
      appCapabilities: { availableDisplayModes: ["inline"] },
    });
    dress(hostContext ?? {});
    post({ method: "ui/notifications/initialized" });
    new ResizeObserver(tellSize).observe(document.body);
  }

  return {
    show(drawResult) {
      draw = drawResult;
      start();
    },
    call: (name, args) => request("tools/call", { name, arguments: args }),
  };
})();
