// Shows the API's own description with Swagger UI, in the colours of the page.

const reference = document.getElementById("reference");
const dark = matchMedia(document.getElementById("dark")?.media ?? "not all");
const follow = () => document.documentElement.classList.toggle("dark-mode", dark.matches);

dark.addEventListener("change", follow);
follow();

// What Swagger UI leaves without a name.
const NAMES = {
  "#servers": () => "Server",
  ".examples-select-element": () => "Example",
  "[data-param-name] select": (select) => select.closest("[data-param-name]").dataset.paramName,
  ".body-param__text": () => "Request body",
  ".close-modal": () => "Close",
};

function complete() {
  for (const [selector, name] of Object.entries(NAMES)) {
    for (const element of reference.querySelectorAll(selector)) element.ariaLabel ??= name(element);
  }
  // A text that scrolls has to be within the keyboard's reach.
  for (const text of reference.querySelectorAll("pre:not([tabindex])")) text.tabIndex = 0;
}

new MutationObserver(complete).observe(reference, { childList: true, subtree: true });

// The link on an operation's path would be inside of the button that opens the operation.
const withoutLinksInButtons = {
  wrapComponents: {
    DeepLink: (Original, { React }) => (props) => React.createElement(Original, { ...props, enabled: false }),
  },
};

SwaggerUIBundle({
  url: reference.dataset.description,
  domNode: reference,
  plugins: [withoutLinksInButtons],
  syntaxHighlight: { theme: "tomorrow-night" },
  deepLinking: true,
  docExpansion: "list",
  defaultModelsExpandDepth: 0,
  displayRequestDuration: true,
  validatorUrl: null,
});
