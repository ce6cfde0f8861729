const BROWSERS = ['Firefox', 'Edg', 'OPR', 'Chrome', 'Safari'] as const;
const SYSTEMS = ['Windows', 'Android', 'iPhone', 'iPad', 'Mac OS', 'Linux'] as const;

/** The common names of the browser and the system that sent this User-Agent: one of few texts. */
export function deviceOf(userAgent: string): string {
  const browser = BROWSERS.find((name) => userAgent.includes(name));
  const system = SYSTEMS.find((name) => userAgent.includes(name));
  const title = { Edg: 'Edge', OPR: 'Opera' }[String(browser)] ?? browser ?? 'A browser';
  return system === undefined ? title : `${title} on ${system}`;
}
