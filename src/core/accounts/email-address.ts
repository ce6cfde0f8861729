/*
 * The addresses that accounts can have: a dot-atom (RFC 5322, 3.2.3) and a domain name of at least
 * two labels, in ASCII. The server, the commands and the forms of the dashboard share these rules.
 */

/** In octets (RFC 5321, 4.5.3.1, with the erratum 1690). */
const LONGEST = 254;
const LONGEST_LOCAL_PART = 64;

/** In octets (RFC 1035, 2.3.4). */
const LONGEST_LABEL = 63;

const ATOM = "[\\w!#$%&'*+/=?^`{|}~-]+";
const LABEL = '[A-Za-z0-9](?:[A-Za-z0-9-]*[A-Za-z0-9])?';

/** Letters alone, or an A-label (RFC 5890, 2.3.2.1): no IP address has such a last label. */
const LAST_LABEL = '(?:[A-Za-z]{2,}|xn--[A-Za-z0-9-]*[A-Za-z0-9])';

const ADDRESS = new RegExp(`^${ATOM}(?:\\.${ATOM})*@(?:${LABEL}\\.)+${LAST_LABEL}$`, 'i');

const EXAMPLE = 'such as you@example.com';

/**
 * Why a text cannot be the e-mail address of an account, and what to use instead, as sentences for
 * people; `undefined` if it can.
 */
export function emailProblem(text: string): string | undefined {
  if (text.length > LONGEST) return `An e-mail address has at most ${LONGEST} characters.`;
  if (ADDRESS.test(text)) return undefined;
  const at = text.lastIndexOf('@');
  const local = text.slice(0, Math.max(at, 0));
  const domain = text.slice(at + 1);
  if (local === '' || domain === '') return `Use an e-mail address ${EXAMPLE}.`;
  if (local.includes('"')) {
    return `An address with quotes before the @ is not accepted. Use one without, ${EXAMPLE}.`;
  }
  if (/^\[.*\]$|^[\d.]+$/.test(domain)) {
    return `An address with an IP address after the @ is not accepted. Use one with a domain, ${EXAMPLE}.`;
  }
  if (isBeyondAscii(local)) {
    return `Only letters without accents, digits and signs of ASCII are accepted before the @. Use an address ${EXAMPLE}.`;
  }
  const ascii = isBeyondAscii(domain) ? asciiDomain(domain) : undefined;
  if (ascii !== undefined) return `Write the domain in its ASCII form: ${local}@${ascii}.`;
  if (new RegExp(`^${LABEL}$`).test(domain)) {
    return `The domain after the @ must have at least two parts. Use an address ${EXAMPLE}.`;
  }
  return `Use an e-mail address ${EXAMPLE}.`;
}

/**
 * The same for the address of a new account. Accounts of release 1.0.0 may have an address of which
 * a part is too long for mail.
 */
export function newEmailProblem(text: string): string | undefined {
  const problem = emailProblem(text);
  if (problem !== undefined) return problem;
  const [local = '', domain = ''] = text.split('@');
  if (local.length > LONGEST_LOCAL_PART) {
    return `At most ${LONGEST_LOCAL_PART} characters are accepted before the @. Use a shorter address.`;
  }
  if (domain.split('.').some((label) => label.length > LONGEST_LABEL)) {
    return `Each part of the domain has at most ${LONGEST_LABEL} characters. Check it.`;
  }
  return undefined;
}

function isBeyondAscii(text: string): boolean {
  return /[^\0-\x7f]/.test(text);
}

/** The A-labels of a domain name (RFC 5891); `undefined` if it has none. */
function asciiDomain(domain: string): string | undefined {
  const address = `http://${domain}`;
  const ascii = URL.canParse(address) ? new URL(address).hostname : undefined;
  return ascii !== undefined && emailProblem(`you@${ascii}`) === undefined ? ascii : undefined;
}
