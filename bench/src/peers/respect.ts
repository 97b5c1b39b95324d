import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { contracts } from '@cdn/api/contract'
import { createArazzo } from './arazzo.ts'
import type { Complaints, Peer, Subject } from './peer.ts'

/** Number of servers per process of Respect. A process takes a second to start. */
const batchSize = 20

/**
 * Runs Redocly Respect, which sends the requests of an Arazzo description. The description is generated from the contract and the
 * fixtures. Respect compares each response with the expected status and with the statuses, media types and schemas of the OpenAPI
 * files.
 */
export function createRespect(layer: Peer['layer']): Peer {
  return {
    name: 'Redocly Respect',
    layer,
    async examine(subjects) {
      const all: Complaints[] = []
      for (let start = 0; start < subjects.length; start += batchSize) {
        all.push(...(await examineBatch(subjects.slice(start, start + batchSize), layer)))
      }
      return all
    },
  }
}

async function examineBatch(subjects: readonly Subject[], layer: Peer['layer']): Promise<Complaints[]> {
  const folder = await mkdtemp(join(tmpdir(), 'peers-'))
  const emulators = await Promise.all(subjects.map(({ create }) => create()))
  try {
    const files = await Promise.all(
      emulators.map(async (emulator, index) => {
        const listening = await emulator.listen()
        const subfolder = join(folder, String(index))
        await mkdir(subfolder)
        for (const { interface: name, openapi } of Object.values(contracts)) {
          const url = (name === 'management' ? listening.managementUrl : listening.loggingUrl).href.replace(/\/$/, '')
          await writeFile(join(subfolder, `${name}.json`), JSON.stringify({ ...openapi[layer], servers: [{ url }] }))
        }
        const [year, month, day] = emulator.clock.now().toISOString().slice(2, 10).split('-')
        const arazzo = createArazzo(layer, emulator.fixtures, `${month}-${day}-${year}`)
        await writeFile(join(subfolder, 'arazzo.json'), JSON.stringify(arazzo))
        return `${index}/arazzo.json`
      }),
    )
    const results = await respect(folder, files)
    return files.map((file) => complaintsOf(results[file], file))
  } finally {
    await Promise.all(emulators.map((emulator) => emulator.close()))
    await rm(folder, { recursive: true })
  }
}

/** The used part of Respect's JSON output. */
interface FileResult {
  readonly executedWorkflows: readonly {
    readonly workflowId: string
    readonly executedSteps: readonly {
      readonly stepId: string
      readonly checks: readonly { readonly name: string; readonly status: string }[]
    }[]
  }[]
}

async function respect(folder: string, files: readonly string[]): Promise<Readonly<Record<string, FileResult>>> {
  const cli = createRequire(import.meta.url).resolve('@redocly/cli/bin/cli.js')
  const env = { ...process.env, REDOCLY_TELEMETRY: 'off' }
  const args = [cli, 'respect', ...files, '--json-output', 'results.json']
  const child = spawn(process.execPath, args, { cwd: folder, env, stdio: ['ignore', 'ignore', 'pipe'] })
  let errors = ''
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    errors += text
  })
  await once(child, 'exit')
  const text = await readFile(join(folder, 'results.json'), 'utf8').catch(() => {
    throw new Error(`Respect wrote no results: ${errors}`)
  })
  return JSON.parse(text).files
}

function complaintsOf(result: FileResult | undefined, file: string): Complaints {
  if (!result) throw new Error(`Respect has no result for ${file}`)
  return new Set(
    result.executedWorkflows.flatMap(({ workflowId, executedSteps }) =>
      executedSteps.flatMap(({ stepId, checks }) =>
        checks.filter(({ status }) => status === 'error').map(({ name }) => `${workflowId} ${stepId}: ${name}`),
      ),
    ),
  )
}
