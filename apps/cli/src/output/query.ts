/** `--query`: JMESPath over data with exact 64-bit integers. */
import { messageOf } from '@cdn/kit/error-message'
import { toInteger } from '@cdn/kit/json'
import type * as JMESPath from '@jmespath-community/jmespath'
import { UsageError } from '../terminal/command-error.ts'
import { jsonText } from './json.ts'

export interface Query {
  (value: unknown): unknown
  /** The fields of the records that the expression makes of a list; `same` if it passes the list's own records on, undefined if unknown. */
  readonly fields: 'same' | readonly string[] | undefined
}

interface Node {
  readonly type: string
  readonly [key: string]: unknown
}

/**
 * Compiles a JMESPath expression. Call it before any request, so that an invalid expression fails early.
 *
 * @returns a function that throws UsageError if the expression cannot be applied to the value
 * @throws UsageError if the expression is invalid
 */
export async function compileQuery(expression: string): Promise<Query> {
  const library = await import('@jmespath-community/jmespath')
  const guard = <T>(run: () => T): T => {
    try {
      return run()
    } catch (error) {
      const why = messageOf(error).replace(exactFunctionPrefix, '')
      const reason = /BigInt|not-a-number$/.test(why)
        ? 'it calculates with a value that is not a number up to 2^53'
        : why
      throw new UsageError(
        `--query ${JSON.stringify(expression)} is not a valid JMESPath expression for this data: ${reason}`,
      )
    }
  }
  register(library)
  // Safe: a compiled expression is a tree of nodes.
  const compiled = guard(() => library.compile(markIntegers(expression))) as unknown as Node
  const exact = withExactNumbers(compiled) as ReturnType<typeof library.compile>
  // Safe: all data has the types of parsed JSON, except for bigints, which `register` handles.
  const search = (value: unknown) => guard(() => library.TreeInterpreter.search(exact, value as JMESPath.JSONValue))
  return Object.assign(search, { fields: fieldsOf(compiled) })
}

function fieldsOf(node: Node): Query['fields'] {
  const { type, left, right, child, children } = node as Node & Readonly<Record<'left' | 'right' | 'child', Node>>
  if (type === 'Identity' || type === 'Current' || type === 'Slice') return 'same'
  if (type === 'Flatten') return fieldsOf(child)
  if (type === 'MultiSelectHash') return (children as readonly { readonly name: string }[]).map(({ name }) => name)
  if (type === 'Function' && /^(sort_by|reverse)$/.test(String(node['name']))) return fieldsOf((children as [Node])[0])
  if (!/Projection|Pipe|IndexExpression/.test(type)) return undefined
  const fields = fieldsOf(right)
  return fields === 'same' ? fieldsOf(left) : fields
}

/** Marks an integer in a literal, with a character that no contract and no log uses. */
const integerMark = '\ue000'
// A raw string, a quoted name, or a literal.
const quoted = /'(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*"|`(?:[^`\\]|\\.)*`/gs
const longInteger = /"(?:[^"\\]|\\.)*"|-?\d{16,40}(?![\d.eE])/g

/** Writes long integers in literals as marked strings, because the library reads literals with `JSON.parse`. */
function markIntegers(expression: string): string {
  return expression.replace(quoted, (token) => {
    if (!token.startsWith('`')) return token
    return token.replace(longInteger, (text) => (text.startsWith('"') ? text : `"${integerMark}${text}"`))
  })
}

/**
 * Replaces operators and functions of the library, which are right only for small integers, by `operators` and `functions`. (The
 * library's `sort` compares numbers as texts, and its `max` of many numbers overflows the stack.)
 */
function withExactNumbers(part: unknown): unknown {
  if (typeof part === 'string' && part.startsWith(integerMark)) return toInteger(part.slice(integerMark.length))
  if (Array.isArray(part)) return part.map(withExactNumbers)
  if (typeof part !== 'object' || part === null) return part
  const node: Node = Object.fromEntries(
    Object.entries(part).map(([key, value]) => [key, withExactNumbers(value)]),
  ) as Node
  const name = String(node['operator'] ?? node['name'])
  if (/^(Comparator|Arithmetic)$/.test(node.type) && name in operators)
    return { type: 'Function', name: exactFunctionPrefix + name, children: [node['left'], node['right']] }
  return node.type === 'Function' && name in functions ? { ...node, name: exactFunctionPrefix + name } : node
}

/** Prefix of the functions that replace functions of the library. No expression can name a function with a space. */
const exactFunctionPrefix = 'exact '

type Numeric = number | bigint
const isNumber = (value: unknown): value is Numeric => typeof value === 'number' || typeof value === 'bigint'
const isInteger = (value: unknown): value is Numeric => typeof value === 'bigint' || Number.isInteger(value)
const isText = (value: unknown): value is string => typeof value === 'string'
const order = <T extends Numeric | string>(a: T, b: T) => (a < b ? -1 : a > b ? 1 : 0)
const plain = (value: bigint) => toInteger(String(value))

/** Compares two numbers. The result is null for other values, as JMESPath defines it. */
const compare = (holds: (order: number) => boolean) => (a: unknown, b: unknown) =>
  isNumber(a) && isNumber(b) ? holds(order(a, b)) : null

/** Calculates with integers exactly. A bigint together with a decimal number throws a TypeError. */
const calculate = (run: (a: number, b: number) => number) => (a: unknown, b: unknown) => {
  // The operators of JavaScript take two bigints, too.
  if (isInteger(a) && isInteger(b)) return toInteger(String(run(BigInt(a) as never, BigInt(b) as never)))
  if (isNumber(a) && isNumber(b)) return run(a as number, b as number)
  throw new Error('not-a-number')
}

const operators: Readonly<Record<string, (a: unknown, b: unknown) => unknown>> = {
  GT: compare((result) => result > 0),
  GTE: compare((result) => result >= 0),
  LT: compare((result) => result < 0),
  LTE: compare((result) => result <= 0),
  Plus: calculate((a, b) => a + b),
  Minus: calculate((a, b) => a - b),
  Star: calculate((a, b) => a * b),
  Multiply: calculate((a, b) => a * b),
}

/** Functions of a list and of the key of each item (by default the item). If one returns undefined, the library's function is called. */
const functions: Readonly<Record<string, (values: readonly unknown[], keys: readonly unknown[]) => unknown>> = {
  sum: (values) => (values.every(isInteger) ? plain(exactSum(values)) : undefined),
  avg: (values) => {
    if (values.length === 0 || !values.every(isInteger)) return undefined
    const [sum, count] = [exactSum(values), BigInt(values.length)]
    return sum % count === 0n ? plain(sum / count) : Number(sum) / values.length
  },
  sort: inOrder,
  sort_by: inOrder,
  min: (values, keys) => least(values, keys, 1),
  min_by: (values, keys) => least(values, keys, 1),
  max: (values, keys) => least(values, keys, -1),
  max_by: (values, keys) => least(values, keys, -1),
  to_number: ([value]) =>
    isText(value) && /^-?\d{16,40}$/.test(value) ? toInteger(value) : isNumber(value) ? value : undefined,
  to_string: ([value]) => (isText(value) ? value : jsonText(value)),
  type: ([value]) => (isNumber(value) ? 'number' : undefined),
}

function exactSum(values: readonly Numeric[]): bigint {
  return values.reduce<bigint>((sum, value) => sum + BigInt(value), 0n)
}

function inOrder(values: readonly unknown[], keys: readonly unknown[]): unknown {
  if (!keys.every(isNumber)) return undefined
  return [...keys.entries()].sort(([, a], [, b]) => order(a, b)).map(([index]) => values[index])
}

/** The value with the least key, or with the greatest key if the sign is -1. */
function least(values: readonly unknown[], keys: readonly unknown[], sign: 1 | -1): unknown {
  if (keys.length === 0 || !(keys.every(isNumber) || keys.every(isText))) return undefined
  const known: readonly (Numeric | string)[] = keys
  return values[
    known.reduce<number>((best, key, index) => (order(key, known[best] ?? key) * sign < 0 ? index : best), 0)
  ]
}

/** Registers the operators and functions above under names that no expression can spell. */
function register({ TreeInterpreter, registerFunction, TYPE_ANY, TYPE_ARRAY, TYPE_EXPREF }: typeof JMESPath): void {
  type Args = Parameters<typeof TreeInterpreter.runtime.callFunction>[1]
  type Expression = Parameters<typeof TreeInterpreter.visit>[0]
  const add = (
    name: string,
    run: (args: Args) => unknown,
    types: readonly JMESPath.InputSignature['types'][number][],
  ) => {
    const signature = types.map((type) => ({ types: [type] }))
    // Safe: the results have the types of parsed JSON, except for bigints.
    registerFunction(exactFunctionPrefix + name, (args) => run(args) as JMESPath.JSONValue, signature, {
      override: true,
    })
  }
  for (const [name, run] of Object.entries(operators)) add(name, ([a, b]) => run(a, b), [TYPE_ANY, TYPE_ANY])
  for (const [name, run] of Object.entries(functions)) {
    const isOfList = !/^to_|^type$/.test(name)
    const isBy = name.endsWith('_by')
    const types = isOfList ? [TYPE_ARRAY, ...(isBy ? [TYPE_EXPREF] : [])] : [TYPE_ANY]
    add(
      name,
      (args) => {
        // Safe: the types of the signature.
        const values = (isOfList ? args[0] : args) as readonly JMESPath.JSONValue[]
        const keys = isBy ? values.map((value) => TreeInterpreter.visit(args[1] as Expression, value)) : values
        return run(values, keys) ?? TreeInterpreter.runtime.callFunction(name, args)
      },
      types,
    )
  }
}
