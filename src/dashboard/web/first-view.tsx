interface FirstViewProps {
  /** The heading of the page. */
  readonly title: string;
  /** The class of its column, if any. */
  readonly column: string;
  /** Markup for browsers without scripts, which only the service writes. */
  readonly noScript?: string;
}

/** A page of the application as the service renders it, until the session is loaded. */
export function FirstView({ title, column, noScript = '' }: FirstViewProps) {
  return (
    <>
      <div className={column}>
        <h1 className="page-title first-title">{title}</h1>
      </div>
      {/* Without scripts its content is shown; with scripts React leaves it alone. */}
      {/* biome-ignore lint/security/noDangerouslySetInnerHtml: The service escapes what it writes. */}
      <noscript dangerouslySetInnerHTML={{ __html: noScript }} suppressHydrationWarning />
    </>
  );
}
