import { createHash } from 'node:crypto'
import { type Html, html, trustedMarkup } from '../html.ts'

/**
 * Returns the head of a page that loads and sends nothing. Its policy allows only its own style sheet and script, by their hashes, and
 * images in `data:` URLs.
 */
export function pageHead(title: string, css: string, script = ''): Html {
  const policy = [
    "default-src 'none'",
    `style-src '${hash(css)}'`,
    `script-src '${hash(script)}'`,
    'img-src data:',
    "base-uri 'none'",
    "form-action 'none'",
  ].join('; ')
  return html`<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${trustedMarkup(policy)}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="referrer" content="no-referrer">
<title>${title}</title>
<link rel="icon" href="data:,">
<style>${trustedMarkup(css)}</style>
</head>`
}

function hash(text: string): string {
  return `sha256-${createHash('sha256').update(text).digest('base64')}`
}
