import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import ts from 'typescript59'
import { repository } from '../copy.ts'

/**
 * Finds the regular expressions in all sources, tests excluded.
 *
 * @returns literals as they are written (`/a+/g`), and calls of `RegExp` with their arguments; sorted, each once
 */
export function findExpressions(): string[] {
  const list = execFileSync('git', ['ls-files', '--', '*.ts', '*.tsx', '*.mjs'], { cwd: repository, encoding: 'utf8' })
  const sources = list
    .split('\n')
    .filter((file) => file !== '' && !/(^|\/)(tests|testing|examples)\/|\.test\.tsx?$/.test(file))
  return [...new Set(sources.flatMap((file) => expressionsIn(join(repository, file))))].sort()
}

/** Finds the literals, without calls of `RegExp`. */
export function literalsOf(expressions: readonly string[] = findExpressions()): string[] {
  return expressions.filter((expression) => expression.startsWith('/'))
}

/** Converts a literal. */
export function toRegExp(literal: string): RegExp {
  const end = literal.lastIndexOf('/')
  return new RegExp(literal.slice(1, end), literal.slice(end + 1))
}

function expressionsIn(file: string): string[] {
  const texts: string[] = []
  const visit = (node: ts.Node): void => {
    const isCall = (ts.isNewExpression(node) || ts.isCallExpression(node)) && node.expression.getText() === 'RegExp'
    if (isCall || ts.isRegularExpressionLiteral(node)) texts.push(node.getText())
    ts.forEachChild(node, visit)
  }
  visit(ts.createSourceFile(file, readFileSync(file, 'utf8'), ts.ScriptTarget.Latest, true))
  return texts
}
