import { createHash, generateKeyPairSync, type KeyObject, randomBytes, sign } from 'node:crypto';

/** The dashboard's request to a browser, limited to what this authenticator reads (WebAuthn). */
interface Options {
  readonly challenge: string;
}

/** Flags of authenticator data (WebAuthn, 6.1). */
const USER_PRESENT = 1;
const USER_VERIFIED = 4;
const HAS_CREDENTIAL = 64;

/** A passkey in software, written from the WebAuthn specification: ES256, attestation "none". */
export class SoftwareAuthenticator {
  readonly #id = randomBytes(16);
  readonly #key: KeyObject;
  readonly #publicKey: Buffer;
  /** Whether it claims to have verified its holder. */
  verifiesHolder = true;
  /** How often it has signed. */
  counter = 0;

  /** @param origin of the page, as reported to the authenticator. */
  constructor(public origin: string) {
    const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
    this.#key = privateKey;
    const { x = '', y = '' } = publicKey.export({ format: 'jwk' });
    // COSE: kty EC2, alg ES256, crv P-256, x, y.
    this.#publicKey = Buffer.concat([
      Buffer.from('a5010203262001', 'hex'),
      Buffer.from('215820', 'hex'),
      Buffer.from(x, 'base64url'),
      Buffer.from('225820', 'hex'),
      Buffer.from(y, 'base64url'),
    ]);
  }

  /** The response to options for a new passkey. */
  register({ challenge }: Options) {
    const length = Buffer.from([0, this.#id.length]);
    const credential = Buffer.concat([Buffer.alloc(16), length, this.#id, this.#publicKey]);
    const data = Buffer.concat([this.#authenticatorData(HAS_CREDENTIAL), credential]);
    // CBOR: { fmt: "none", attStmt: {}, authData: data }.
    const attestation = Buffer.concat([
      Buffer.from('a363666d74646e6f6e656761747453746d74a068617574684461746158', 'hex'),
      Buffer.from([data.length]),
      data,
    ]);
    return this.#credential({
      clientDataJSON: this.#clientData('webauthn.create', challenge).toString('base64url'),
      attestationObject: attestation.toString('base64url'),
      transports: ['internal'],
    });
  }

  /** The response to options for a sign-in. */
  signIn({ challenge }: Options) {
    this.counter += 1;
    const clientData = this.#clientData('webauthn.get', challenge);
    const data = this.#authenticatorData(0);
    const digest = createHash('sha256').update(clientData).digest();
    const signature = sign('sha256', Buffer.concat([data, digest]), this.#key);
    return this.#credential({
      clientDataJSON: clientData.toString('base64url'),
      authenticatorData: data.toString('base64url'),
      signature: signature.toString('base64url'),
    });
  }

  #credential<Response>(response: Response) {
    const id = this.#id.toString('base64url');
    return { id, rawId: id, type: 'public-key', response, clientExtensionResults: {} };
  }

  #clientData(type: string, challenge: string): Buffer {
    return Buffer.from(JSON.stringify({ type, challenge, origin: this.origin }));
  }

  #authenticatorData(more: number): Buffer {
    const { hostname } = new URL(this.origin);
    const flags = USER_PRESENT | (this.verifiesHolder ? USER_VERIFIED : 0) | more;
    const counter = Buffer.alloc(4);
    counter.writeUInt32BE(this.counter);
    const digest = createHash('sha256').update(hostname).digest();
    return Buffer.concat([digest, Buffer.from([flags]), counter]);
  }
}
