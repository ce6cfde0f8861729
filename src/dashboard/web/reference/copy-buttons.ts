import { button, element } from './elements.ts';

/** How long a button says that it copied, in ms. */
const SHOWN_FOR = 2_000;

/** Adds a button to each block of code that copies it. */
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

/** What to say after copying a text. */
async function copied(text: string): Promise<string> {
  try {
    await navigator.clipboard.writeText(text);
    return 'Copied';
  } catch {
    return 'Press Ctrl+C';
  }
}
