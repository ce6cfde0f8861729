import { Html } from '../pages/html.ts';
import { highlight } from '../shared/highlight.ts';
import { unescaped } from '../shared/unescape.ts';

const WITHOUT_HTML = { noHtmlBlocks: true, noHtmlSpans: true } as const;

/**
 * Renders Markdown as HTML. Headings get anchors, code blocks can be scrolled by keyboard, and HTML
 * in the text is escaped.
 * @param basePath path of the dashboard's address; links that begin with `/` are resolved below it.
 */
export function prose(markdown: string, basePath: string): Html {
  const markup = Bun.markdown.html(linkedBelow(markdown, basePath), WITHOUT_HTML);
  return new Html(focusableCode(withAnchors(markup)));
}

/** The Markdown with links that begin with `/` resolved below this address. */
export function linkedBelow(markdown: string, address: string): string {
  return markdown.replaceAll('](/', `](${address}/`);
}

/**
 * Gives each heading an id derived from its words, and makes it a link to itself. Underscores of
 * error codes are preserved: the heading `pet_not_found` has the id `pet_not_found`.
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
      codeBlock(unescaped(content).trimEnd(), language ?? 'text', language ?? 'text'),
  );
}

/** A code block that can be scrolled by keyboard, in the colors of its language. */
function codeBlock(text: string, label: string, language: string): string {
  const named = Bun.escapeHTML(label);
  return `<div class="code"><pre role="group" tabindex="0" aria-label="${named}"><code>${highlight(text, language)}</code></pre></div>`;
}

/**
 * A code block.
 * @param label its description for screen readers.
 * @param language see `highlight`.
 */
export function code(text: string, label: string, language: string): Html {
  return new Html(codeBlock(text, label, language));
}
