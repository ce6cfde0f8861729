import { unescaped } from '../../shared/unescape.ts';
import { element } from './elements.ts';

/**
 * Gives the code in an element the colors of its language, as the service does. The highlighter is loaded for the first
 * code that was not there when the page was loaded; without it, code has no colors.
 */
export async function colorCode(code: Element, language: string): Promise<void> {
  const text = code.textContent;
  try {
    const { highlight } = await import('../../shared/highlight.ts');
    if (code.textContent === text) code.replaceChildren(...nodesOf(highlight(text, language)));
  } catch {
    // The text is there.
  }
}

/** The nodes that the markup of the highlighter stands for. The policy of the pages allows no markup from scripts. */
function nodesOf(markup: string): readonly ChildNode[] {
  const root = element('code');
  let parent: HTMLElement = root;
  for (const [token, name, text] of markup.matchAll(/<span class="([^"]*)">|<\/span>|([^<]+)/g)) {
    if (name !== undefined) {
      const span = element('span', { class: name });
      parent.append(span);
      parent = span;
    } else if (text !== undefined) parent.append(unescaped(text));
    else if (token === '</span>') parent = parent.parentElement ?? root;
  }
  return [...root.childNodes];
}
