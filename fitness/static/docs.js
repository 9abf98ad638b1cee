// Shows the API's own description with Swagger UI, in the colours the visitor prefers.

const reference = document.getElementById("reference");
const dark = matchMedia("(prefers-color-scheme: dark)");
const follow = () => document.documentElement.classList.toggle("dark-mode", dark.matches);

dark.addEventListener("change", follow);
follow();

SwaggerUIBundle({
  url: reference.dataset.description,
  domNode: reference,
  deepLinking: true,
  docExpansion: "list",
  defaultModelsExpandDepth: 0,
  displayRequestDuration: true,
  validatorUrl: null,
});
