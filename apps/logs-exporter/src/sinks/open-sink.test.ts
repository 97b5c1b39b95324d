import { execFileSync } from 'node:child_process'
import { temporaryFolder } from '@cdn/kit/testing/temporary-folder'
import { expect, test } from 'vitest'
import type { SinkConfig } from '../config/config.ts'

/** The third-party packages that a process has loaded after it opened a sink. */
function loaded(config: SinkConfig): string[] {
  const program = `
    import { registerHooks } from 'node:module'
    const seen = new Set()
    registerHooks({ resolve(name, context, next) {
      if (/^[@a-z]/.test(name) && !/^(node|file):/.test(name) && context.parentURL?.includes('/logs-exporter/src/')) seen.add(name)
      return next(name, context)
    } })
    const { openSink } = await import('${new URL('./open-sink.ts', import.meta.url)}')
    await openSink(JSON.parse(process.argv[1]), {})
    console.log([...seen].filter((name) => !name.startsWith('@cdn/')).sort().join())`
  const args = ['--input-type=module', '-e', program, JSON.stringify(config)]
  return execFileSync(process.execPath, args, { encoding: 'utf8' }).trim().split(',').filter(Boolean)
}

const path = temporaryFolder()
const secret = { env: 'NONE' }
const s3 = { endpoint: 'http://127.0.0.1:1', bucket: 'b', prefix: '', region: 'r' } as const
const stored = { format: 'ndjson', compression: 'none' } as const
const container = 'https://a.blob.core.windows.net/logs'
const configs: (readonly [packages: string[], config: SinkConfig])[] = [
  [[], { type: 'files', path, format: 'ndjson', compression: 'zstd' }],
  [['hyparquet', 'hyparquet-writer'], { type: 'files', path, format: 'parquet', compression: 'zstd' }],
  [['pg', 'pg-copy-streams'], { type: 'postgres', url: secret }],
  [
    ['@aws-sdk/client-s3'],
    { type: 's3', ...s3, ...stored, credentials: { accessKeyId: secret, secretAccessKey: secret } },
  ],
  [['@azure/storage-blob'], { type: 'azure', container, prefix: '', ...stored, accountKey: secret }],
  [['@azure/identity', '@azure/storage-blob'], { type: 'azure', container, prefix: '', ...stored }],
  [['google-auth-library'], { type: 'gcs', endpoint: 'http://127.0.0.1:1', bucket: 'b', prefix: '', ...stored }],
]

test.each(configs)('only %j is loaded for %j', (packages, config) => {
  expect(loaded(config)).toEqual(packages)
})
