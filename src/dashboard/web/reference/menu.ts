/** Shows the current page in the menu, which may be longer than the window is high. */
export function showCurrentPage(): void {
  const menu = document.querySelector<HTMLElement>('.menu');
  const item = menu?.querySelector('[aria-current="page"]');
  if (!menu || !item) return;
  const show = () => {
    const hidden = item.getBoundingClientRect().bottom - menu.getBoundingClientRect().bottom;
    if (hidden > 0) menu.scrollTop += hidden + menu.clientHeight / 3;
  };
  show();
  // In narrow windows it is opened by a button.
  menu.addEventListener('toggle', show);
}
