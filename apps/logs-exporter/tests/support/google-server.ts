import { bucket, startObjectStore } from './object-server.ts'

const credential = 'canary-token'
const token = { access_token: credential, expires_in: 3600, token_type: 'Bearer', issued_token_type: 'a' }

/**
 * Starts a stand-in for Google Cloud Storage. It follows the reference of the XML API for objects and of the JSON API for listings, and
 * issues tokens as the Security Token Service does.
 */
export async function startGoogle({ pageSize = 1_000 } = {}) {
  const store = await startObjectStore(
    {
      answer({ url: { pathname, searchParams }, headers }, list) {
        if (pathname === '/token') return { status: 200, text: JSON.stringify(token) }
        if (headers.authorization !== `Bearer ${credential}`) return { status: 401, text: '' }
        if (pathname !== `/storage/v1/b/${bucket}/o`) return undefined
        const [prefix = '', delimiter = '', after = ''] = ['prefix', 'delimiter', 'pageToken'].map(
          (name) => searchParams.get(name) ?? '',
        )
        const { folders: prefixes, keys, next } = list(prefix, delimiter, after)
        const page = { kind: 'storage#objects', prefixes, items: keys.map((name) => ({ name })) }
        return { status: 200, text: JSON.stringify({ ...page, nextPageToken: next }) }
      },
      isConditional: (headers) => headers['x-goog-if-generation-match'] === '0',
      kept: /^x-goog-meta-|^content-type$/,
      proof: { 'x-goog-generation': '1' },
    },
    pageSize,
  )
  return Object.assign(store, {
    /** Credentials of a workload identity, whose tokens the stand-in issues. @param file with the token of the machine */
    credentials: (file: string) =>
      JSON.stringify({
        type: 'external_account',
        audience: 'test',
        subject_token_type: 'urn:ietf:params:oauth:token-type:jwt',
        token_url: `${store.url}/token`,
        credential_source: { file },
      }),
  })
}
