/* The theme: as the reader's system has it, until the button says otherwise. */
{
  const KEY = "streamopt-theme", root = document.documentElement;
  const dark = matchMedia("(prefers-color-scheme: dark)");
  const kept = () => {
    try { return localStorage.getItem(KEY); } catch { return null; }
  };
  const keep = (theme) => {
    try { localStorage.setItem(KEY, theme); } catch { /* a page without storage forgets it */ }
  };
  const button = report.html("button", {type: "button", class: "theme"});
  const isDark = () => (root.dataset.theme ? root.dataset.theme === "dark" : dark.matches);
  const show = () => {
    button.textContent = isDark() ? "Light theme" : "Dark theme";
  };
  if (["light", "dark"].includes(kept())) root.dataset.theme = kept();
  button.addEventListener("click", () => {
    root.dataset.theme = isDark() ? "light" : "dark";
    keep(root.dataset.theme);
    show();
  });
  dark.addEventListener("change", show);
  show();
  document.querySelector("header .tools").append(button);
}
