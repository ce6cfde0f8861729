import { button, element } from './elements.ts';

/** Duration of the confirmation on a button, in ms. */
const SHOWN_FOR = 2_000;

/** Adds a copy button to each code block. */
export function addCopyButtons(place: ParentNode): void {
  for (const block of place.querySelectorAll('.code')) {
    const code = block.querySelector('code');
    if (code && !block.querySelector('.code-copy')) block.append(copyButton(code));
  }
}

function copyButton(code: HTMLElement): HTMLElement {
  const announcement = element('span', { role: 'status' });
  const copy = async () => {
    announcement.textContent = await copied(code.textContent);
    setTimeout(() => {
      announcement.textContent = 'Copy';
    }, SHOWN_FOR);
  };
  announcement.textContent = 'Copy';
  const made = button('', copy, 'code-copy');
  made.append(announcement);
  return made;
}

/** Copies a text and returns the message for the reader. */
async function copied(text: string): Promise<string> {
  try {
    await navigator.clipboard.writeText(text);
    return 'Copied';
  } catch {
    return 'Press Ctrl+C';
  }
}
