/**
 * A program for a copy of the repository. It runs `cdn api METHOD PATH --dry-run` for paths of the imported interfaces, and prints the
 * paths for which it chooses a wrong host. The most literal path of all interfaces wins. Two paths that are equally literal are
 * refused with the names of both interfaces.
 */
import { type Contract, contracts, type Operation } from '@cdn/api/contract'
import { runCommandLine } from '../../../apps/cli/src/main.ts'
import { importedContracts } from './recording-server.ts'

/** Maximum number of paths that are tried, spread over all operations. */
const maxPaths = 200

/** Messages about a request that lacks something else than a host. */
const incomplete = /^(cdn: )?(Missing|Invalid) |needs a body/

interface Route {
  readonly contract: Contract
  readonly operation: Operation
}

const routesOf = (all: readonly Contract[]): Route[] =>
  all.flatMap((contract) => contract.operations.map((operation) => ({ contract, operation })))
const known = routesOf(Object.values(contracts))

/** Returns a value that a path parameter accepts, as far as its schema says so. */
function sampleOf({ parameters }: Operation, name: string): string {
  const schema: Record<string, unknown> = {
    ...parameters.find((one) => one.in === 'path' && one.name === name)?.schema,
  }
  const [value] = [schema['enum'], schema['examples']].filter(Array.isArray).flat()
  if (value !== undefined) return encodeURIComponent(String(value))
  if ([schema['type']].flat().some((type) => type === 'integer' || type === 'number')) return '7'
  if (schema['type'] === 'boolean') return 'true'
  return { uuid: '00000000-0000-4000-8000-000000000000', date: '2026-01-02' }[String(schema['format'])] ?? 'abc'
}

/** Returns how literal a template is that matches a path, segment by segment (`1` is literal); undefined without a match. */
function literalness(template: string, path: string): string | undefined {
  const [parts, segments] = [template.split('/'), path.split('/')]
  if (parts.length !== segments.length) return undefined
  const marks = parts.map((part, index) => {
    const pattern = part.split(/\{[^{}]*\}/).map((text) => text.replaceAll(/[\\^$.*+?()[\]{}|]/g, '\\$&'))
    return new RegExp(`^${pattern.join('.+')}$`).test(segments[index] ?? '')
      ? pattern.length === 1
        ? '1'
        : '0'
      : undefined
  })
  return marks.includes(undefined) ? undefined : marks.join('')
}

/** Runs `cdn api` in this process. */
async function dryRun(method: string, path: string, ...options: string[]): Promise<string> {
  let text = ''
  const stream = {
    write: (data: string, done?: () => void) => {
      text += data
      done?.()
      return true
    },
    on() {},
    off() {},
  }
  const world = { env: {}, stdin: () => process.stdin, stdout: stream, stderr: stream, onInterrupt() {}, fetch }
  const more = { now: () => new Date(), sleep: async () => {} }
  // The command line needs less of a stream than its type states.
  await runCommandLine(['api', method, path, '--dry-run', '--yes', ...options], { ...world, ...more } as never)
  return text
}

// `cdn api` takes these methods.
const routes = routesOf(importedContracts()).filter(({ operation }) => /^(get|put|post|delete)$/.test(operation.method))
const step = Math.max(1, Math.floor(routes.length / maxPaths))
const tried = routes.filter((_, index) => index % step === 0).slice(0, maxPaths)
const faults: string[] = []
let unclear = 0
for (const { operation } of tried) {
  const path = operation.path.replaceAll(/\{([^{}]*)\}/g, (_, name: string) => sampleOf(operation, name))
  const method = operation.method.toUpperCase()
  const matches = known
    .filter((route) => route.operation.method === operation.method)
    .flatMap((route) => ({ ...route, rank: literalness(route.operation.path, path) ?? [] }))
    .filter(({ rank }) => typeof rank === 'string')
    .sort((a, b) => (String(a.rank) < String(b.rank) ? 1 : -1))
  const best = matches.filter(({ rank }) => rank === matches[0]?.rank)
  let text = await dryRun(method, path)
  // The path is known, and something else is missing: a body, a query parameter, a value that its schema does not show.
  if (incomplete.test(text)) text = await dryRun(method, path, '--force')
  if (incomplete.test(text)) unclear++
  else if (best.length > 1) {
    const names = best.map(({ contract }) => contract.interface)
    if (!names.every((name) => text.includes(name)))
      faults.push(`${method} ${path} fits ${names.join(' and ')}: ${text}`)
  } else {
    const url = /https?:\/\/[^\s'"]+/.exec(text)?.[0] ?? ''
    const expected = `${best[0]?.contract.publicUrl}${path}`
    if (url.split('?')[0] !== expected)
      faults.push(`${method} ${path} should go to ${expected}: ${text.split('\n')[0]}`)
  }
}
console.log(JSON.stringify({ tried: tried.length, unclear, faults }))
