// The theme that every_page.js has kept, before a page that names nobody is drawn.

const theme = localStorage.getItem("theme");
if (theme) document.getElementById("dark").media = theme === "dark" ? "screen" : "not all";
