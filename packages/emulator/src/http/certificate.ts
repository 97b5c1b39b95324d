import { generateKeyPair, randomBytes } from 'node:crypto'
import { promisify } from 'node:util'
import forge from 'node-forge'

/** A private key and its certificate, as PEM text. */
export interface KeyPair {
  readonly key: string
  readonly certificate: string
}

const lifetimeMs = 30 * 24 * 3_600_000

/**
 * Creates a key and a self-signed certificate for localhost, loopback and the given host. The certificate is valid for 30 days.
 * Clients must be configured to trust the certificate, for example by `NODE_EXTRA_CA_CERTS` or `SSL_CERT_FILE`.
 *
 * @param host a host name or an address
 */
export async function createSelfSigned(host: string): Promise<KeyPair> {
  const { publicKey, privateKey } = await promisify(generateKeyPair)('rsa', {
    modulusLength: 2048,
    publicKeyEncoding: { type: 'spki', format: 'pem' },
    privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
  })
  const certificate = forge.pki.createCertificate()
  certificate.publicKey = forge.pki.publicKeyFromPem(publicKey)
  // A leading byte of 0 to 127 keeps the number positive, as X.509 requires.
  certificate.serialNumber = `01${randomBytes(15).toString('hex')}`
  certificate.validity.notBefore = new Date(Date.now() - 3_600_000)
  certificate.validity.notAfter = new Date(Date.now() + lifetimeMs)
  const name = [{ name: 'commonName', value: 'cdn-emulator' }]
  certificate.setSubject(name)
  certificate.setIssuer(name)
  const [dns, address] = [2, 7] // kinds of names in X.509
  certificate.setExtensions([
    { name: 'basicConstraints', cA: true, critical: true },
    { name: 'keyUsage', keyCertSign: true, digitalSignature: true, keyEncipherment: true },
    { name: 'extKeyUsage', serverAuth: true },
    {
      name: 'subjectAltName',
      altNames: [
        { type: dns, value: 'localhost' },
        { type: address, ip: '127.0.0.1' },
        { type: address, ip: '::1' },
        /^[\d.]+$|:/.test(host) ? { type: address, ip: host } : { type: dns, value: host },
      ],
    },
  ])
  certificate.sign(forge.pki.privateKeyFromPem(privateKey), forge.md.sha256.create())
  return { key: privateKey, certificate: forge.pki.certificateToPem(certificate) }
}
