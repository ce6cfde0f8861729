/** A text of a guide, imported with `{ type: 'text' }`. */
declare module '*.md' {
  const text: string;
  export default text;
}
