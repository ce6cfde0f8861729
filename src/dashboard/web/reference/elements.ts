/** An element of the page, with its attributes and children. */
export function element<Name extends keyof HTMLElementTagNameMap>(
  name: Name,
  attributes: Readonly<Record<string, string>> = {},
  ...contents: ReadonlyArray<Node | string>
): HTMLElementTagNameMap[Name] {
  const made = document.createElement(name);
  for (const [attribute, value] of Object.entries(attributes)) made.setAttribute(attribute, value);
  made.append(...contents);
  return made;
}

/** A button that does not submit a form. */
export function button(
  label: string,
  onClick: () => unknown,
  look = 'button button-plain',
): HTMLButtonElement {
  const made = element('button', { type: 'button', class: look }, label);
  made.addEventListener('click', onClick);
  return made;
}

/**
 * A code block that can be scrolled by keyboard. @param label its description for screen readers.
 */
export function codeBlock(text: string, label: string): HTMLElement {
  const attributes = { role: 'group', tabindex: '0', 'aria-label': label };
  return element('div', { class: 'code' }, element('pre', attributes, element('code', {}, text)));
}
