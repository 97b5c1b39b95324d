import { envOf } from '@cdn/kit/env'
import { type Document, parse, type Scalar, visit } from 'yaml'

/** A mistake at a node of the document. */
export interface VariableMistake {
  readonly at: Scalar
  readonly sentence: string
}

/**
 * Replaces `${NAME}` and `${NAME:-default}` in all values of a document by environment variables. The default also replaces an empty
 * variable, as in a shell. `$${` stands for `${`. Without quotes, the result may be a number or a boolean.
 *
 * @returns the variables that are missing or have an invalid name
 */
export function substituteVariables(document: Document, env: NodeJS.ProcessEnv): VariableMistake[] {
  const mistakes: VariableMistake[] = []
  visit(document, {
    Scalar(key, node) {
      if (key === 'key' || typeof node.value !== 'string' || !node.value.includes('${')) return
      const text = node.value.replace(/\$\$\{|\$\{[^}]*\}?/g, (place) => {
        const { value, sentence } = place === '$${' ? { value: '${' } : resolve(place, env)
        if (sentence) mistakes.push({ at: node, sentence })
        return value ?? ''
      })
      node.value = node.type === 'PLAIN' ? typed(text) : text
    },
  })
  return mistakes
}

/** @param place such as `${NAME:-default}` @returns its value, or what is wrong */
function resolve(place: string, env: NodeJS.ProcessEnv): { readonly value?: string; readonly sentence?: string } {
  const [, name, fallback] = /^\$\{([A-Za-z_]\w*)(?::-(.*))?\}$/s.exec(place) ?? []
  if (name === undefined)
    return {
      sentence: `Invalid variable: expected \${NAME} or \${NAME:-default}; write $\${ for the text \${.`,
    }
  const set = envOf(env, name)
  const value = set || (fallback ?? set)
  if (value !== undefined) return { value }
  return { sentence: `The environment variable ${name} is not set; set it, or write \${${name}:-default}.` }
}

/** The value of an unquoted text, which is a number or a boolean if it looks like one. */
function typed(text: string): unknown {
  return /^(?:true|false|\d{1,15})$/.test(text) ? parse(text) : text
}
