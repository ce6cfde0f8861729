/** Moves the focus to the element with this id, or to the page's content if there is none. */
export function focusOrContent(id: string): void {
  (document.getElementById(id) ?? document.getElementById('content'))?.focus();
}
