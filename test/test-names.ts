/** A test's full name as the runner prints it; what is computed in it matches anything. */
export interface TestName {
  matches(name: string): boolean;
}

const CALL =
  /^( *)(?:describe|test)(?:\.(?:each|skipIf|if)\([\s\S]*?\))?\(\s*(?:'((?:[^'\\]|\\.)*)'|"([^"]*)"|`([^`]*)`)/gm;

/** The tests of a file by reading it: names of nested describes, joined by " > ". */
export function testNames(source: string): TestName[] {
  const open: Array<{ indent: number; name: string }> = [];
  const names: TestName[] = [];
  for (const match of source.matchAll(CALL)) {
    const indent = match[1]?.length ?? 0;
    const name = match[2]?.replaceAll("\\'", "'") ?? match[3] ?? match[4] ?? '';
    while ((open.at(-1)?.indent ?? -1) >= indent) open.pop();
    const full = [...open.map((each) => each.name), name].join(' > ');
    if (match[0].trimStart().startsWith('describe')) open.push({ indent, name });
    else names.push(nameMatcher(full));
  }
  return names;
}

function nameMatcher(template: string): TestName {
  const computed = /\$\{(?:[^{}]|\{[^{}]*\})*\}|%[sdijop]|\$\w+/g;
  const parts = template.split(computed).map((part) => RegExp.escape(part));
  const pattern = new RegExp(`^${parts.join('.+')}$`);
  return { matches: (name) => pattern.test(name) };
}
