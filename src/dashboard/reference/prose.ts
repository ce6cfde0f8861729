import { Html } from '../pages/html.ts';

const WITHOUT_HTML = { noHtmlBlocks: true, noHtmlSpans: true } as const;

/**
 * Markdown as markup. Headings get anchors, blocks of code can be scrolled by keyboard, and HTML in the text
 * is shown as text.
 * @param basePath path of the dashboard's address; links that begin with `/` lead below it.
 */
export function prose(markdown: string, basePath: string): Html {
  const markup = Bun.markdown.html(linkedBelow(markdown, basePath), WITHOUT_HTML);
  return new Html(focusableCode(withAnchors(markup)));
}

/** The Markdown with links that begin with `/` below this address. */
export function linkedBelow(markdown: string, address: string): string {
  return markdown.replaceAll('](/', `](${address}/`);
}

/**
 * Gives each heading an id that is made of its words, and makes it a link to itself. A code keeps its
 * underscores: the heading `pet_not_found` has the id `pet_not_found`.
 */
function withAnchors(markup: string): string {
  const taken = new Map<string, number>();
  return markup.replaceAll(/<h([1-6])>(.*?)<\/h\1>/gs, (_, level: string, content: string) => {
    const slug = slugOf(content.replaceAll(/<[^>]+>|&\w+;/g, ''));
    const times = (taken.get(slug) ?? 0) + 1;
    taken.set(slug, times);
    const id = times === 1 ? slug : `${slug}-${times}`;
    return `<h${level} id="${id}"><a class="anchor" href="#${id}">${content}</a></h${level}>`;
  });
}

/** The id of a heading with these words. */
export function slugOf(words: string): string {
  return words
    .toLowerCase()
    .replaceAll(/[^\w]+/g, '-')
    .replaceAll(/^-+|-+$/g, '');
}

function focusableCode(markup: string): string {
  return markup.replaceAll(
    /<pre><code(?: class="language-([\w-]+)")?>([\s\S]*?)<\/code><\/pre>/g,
    (_, language: string | undefined, content: string) =>
      codeBlock(language ?? 'text', content.trimEnd()),
  );
}

/** A block of code that can be scrolled by keyboard. @param content is markup already. */
function codeBlock(label: string, content: string): string {
  return `<div class="code"><pre role="group" tabindex="0" aria-label="${label}"><code>${content}</code></pre></div>`;
}

/** Code in a block. @param label what it is, for screen readers. */
export function code(text: string, label: string): Html {
  return new Html(codeBlock(Bun.escapeHTML(label), Bun.escapeHTML(text)));
}
