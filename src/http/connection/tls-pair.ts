import { createPrivateKey, type KeyObject, X509Certificate } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { messageOf, SetupError } from '../../core/errors.ts';

/** Paths of PEM files. */
export interface TlsFiles {
  /** The certificate of the service first, then those that issued it. */
  readonly cert: string;
  readonly key: string;
}

/** A certificate chain and its key, in PEM. */
export interface TlsPair {
  readonly cert: string;
  readonly key: string;
  /** When the certificate of the service expires; ms since the epoch. */
  readonly expiresAt: number;
}

/**
 * Reads both files, and checks that they belong together.
 * @throws SetupError that names the file with the problem, and says what to do.
 */
export async function readTlsPair(files: TlsFiles): Promise<TlsPair> {
  const [cert, key] = await Promise.all([
    readSetting('PETSTORE_TLS_CERT', files.cert),
    readSetting('PETSTORE_TLS_KEY', files.key),
  ]);
  const certificate = parseCertificate(files.cert, cert);
  if (!certificate.checkPrivateKey(parseKey(files.key, key))) {
    throw new SetupError(
      `The key in ${files.key} does not belong to the first certificate in ${files.cert}. Set PETSTORE_TLS_KEY to its key.`,
    );
  }
  return { cert, key, expiresAt: Date.parse(certificate.validTo) };
}

async function readSetting(name: string, path: string): Promise<string> {
  try {
    return await readFile(path, 'utf8');
  } catch (cause) {
    const message = `Cannot read the file of ${name}: ${messageOf(cause)}. Set it to a file that this user may read.`;
    throw new SetupError(message, { cause });
  }
}

function parseCertificate(path: string, text: string): X509Certificate {
  try {
    return new X509Certificate(text);
  } catch (cause) {
    throw new SetupError(
      `${path} holds no certificate in PEM. Set PETSTORE_TLS_CERT to the file with the whole chain.`,
      { cause },
    );
  }
}

function parseKey(path: string, text: string): KeyObject {
  if (/-----BEGIN ENCRYPTED|^Proc-Type:.*ENCRYPTED/m.test(text)) {
    throw new SetupError(
      `The key in ${path} is encrypted. Set PETSTORE_TLS_KEY to one without a passphrase.`,
    );
  }
  try {
    return createPrivateKey(text);
  } catch (cause) {
    throw new SetupError(
      `${path} holds no private key in PEM. Set PETSTORE_TLS_KEY to the key of the certificate.`,
      { cause },
    );
  }
}
