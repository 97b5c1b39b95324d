/** Checks the URL and the credential of the requests that the commands send, also for new areas of the contract. */
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { contracts, operations } from '@cdn/api/contract'
import { assertDefined } from '@cdn/kit/assert-defined'
import { temporaryFolder } from '@cdn/kit/testing/temporary-folder'
import { expect, test } from 'vitest'
import { operationExamples } from '../scripts/examples.ts'
import { handWritten } from '../src/operations/operation-command.ts'
import { fetchFrom, runCli, wordsOf } from './support/cli.ts'

const folder = temporaryFolder()
await writeFile(join(folder, 'watermark.png'), 'a picture')

const all = operations.map((operation) => [`${operation.interface}.${operation.name}`, operation] as const)

test('every operation has a command with an example', () => {
  expect([...operationExamples.keys()].sort()).toEqual(all.map(([id]) => id).sort())
})

test.each(all.filter(([id]) => !handWritten.has(id)))(
  '%s goes to its interface, with the credential in one header',
  async (id, { interface: name, path }) => {
    const line = assertDefined(operationExamples.get(id))
    const words = wordsOf(line.replace('@watermark.png', `@${folder}/watermark.png`))
    const variable = `CDN_${name.toUpperCase()}_URL`
    for (const base of [contracts[name].publicUrl, `https://${name}.example/base`]) {
      const sent: Request[] = []
      const fetch = fetchFrom((request) => {
        sent.push(request)
        return new Response(null, { status: 204 })
      })
      await runCli(words.slice(1), { env: { CDN_ACCESS_KEY: 'CANARY', [variable]: base }, fetch })
      const parts = path.split(/\{[^{}]*\}/).map((part) => part.replaceAll(/[^\w/-]/g, '\\$&'))
      const [{ url, headers } = new Request('about:blank'), ...others] = sent
      expect(url.slice(base.length)).toMatch(new RegExp(`^${parts.join('[^/?]+')}(\\?.*)?$`))
      expect([url.startsWith(base), others]).toEqual([true, []])
      expect([...headers].filter(([, value]) => value.includes('CANARY'))).toEqual([['accesskey', 'CANARY']])
    }
  },
)
