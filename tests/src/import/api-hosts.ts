/**
 * A program for a copy of the repository. It runs `cdn api METHOD PATH --dry-run` for paths of the imported interfaces, and prints the
 * paths for which it chooses a wrong host. The path with the most literal segments of all interfaces wins. Two interfaces with equally
 * literal paths are refused with both names, and a path that takes nearly everything needs `--interface`.
 */
import { type Contract, contracts, type Operation, sampleParameter } from '@cdn/api/contract'
import { defined } from '@cdn/kit/defined'
import { followReference } from '@cdn/kit/reference'
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

const style = { host: 'abc.invalid', now: new Date('2026-01-02'), text: () => 'abc' }

/** Returns a value that a path parameter accepts. */
function textFor({ interface: name, parameters }: Operation, parameter: string): string {
  const stated = defined(parameters.find((one) => one.in === 'path' && one.name === parameter))
  const { full } = contracts[name].openapi
  return encodeURIComponent(String(sampleParameter(stated, (schema) => followReference(full, schema), style)))
}

/** Returns the number of literal segments of a template that matches a path; -1 without a match. */
function literalness(template: string, path: string): number {
  const [parts, segments] = [template.split('/'), path.split('/')]
  const matches = parts.map((part, index) => {
    const pattern = part.split(/\{[^{}]*\}/).map((text) => text.replaceAll(/[\\^$.*+?()[\]{}|]/g, '\\$&'))
    return new RegExp(`^${pattern.join('.+')}$`).test(segments[index] ?? '')
  })
  if (parts.length !== segments.length || matches.includes(false)) return -1
  return parts.filter((part) => part.replaceAll(/\{[^{}]*\}/g, '') !== '').length
}

/** Whether a template takes nearly every path of its length. */
const isOpen = ({ contract, operation }: Route) => contract.source !== 'spec' && /^\/\{|\{path\}/.test(operation.path)

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
for (const { contract, operation } of tried) {
  const path = operation.path.replaceAll(/\{([^{}]*)\}/g, (_, name: string) => textFor(operation, name))
  const method = operation.method.toUpperCase()
  const ranks = known.map((one) => (isOpen(one) ? -1 : literalness(one.operation.path, path)))
  const most = Math.max(0, ...ranks)
  const names = [...new Set(known.filter((_, index) => ranks[index] === most).map((one) => one.contract.interface))]
  let text = await dryRun(method, path)
  // The path is known, and something else is missing: a body, a query parameter, a value that its schema does not show.
  if (incomplete.test(text)) text = await dryRun(method, path, '--force')
  const url = /https?:\/\/[^\s'"?]+/.exec(text)?.[0]
  const isRefused =
    names.length !== 1 &&
    url === undefined &&
    (names.length > 0 ? names : [contract.interface]).every((name) => text.includes(name))
  if (incomplete.test(text) || / takes [A-Z, ]+, not /.test(text)) unclear++
  else if (!isRefused && (names.length !== 1 || url !== `${contracts[names[0] ?? 'management'].publicUrl}${path}`))
    faults.push(`${method} ${path} belongs to ${names.join(' and ') || 'no interface'}: ${text.split('\n')[0]}`)
}
console.log(JSON.stringify({ tried: tried.length, unclear, faults }))
