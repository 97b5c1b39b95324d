const entities: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'" }

/** The texts of all elements of a name, in order. Enough for the answers of S3, whose listings nest no element in itself. */
export function textsOf(xml: string, element: string): string[] {
  return [...xml.matchAll(new RegExp(`<${element}>([^]*?)</${element}>`, 'g'))].map(([, text = '']) =>
    unescapeText(text),
  )
}

/** The text of the first element of a name. */
export function textOf(xml: string, element: string): string | undefined {
  return textsOf(xml, element)[0]
}

function unescapeText(text: string): string {
  return text.replace(/&(?:#(\d+)|#x([\da-f]+)|(\w+));/gi, (whole, decimal?: string, hex?: string, name?: string) => {
    if (name) return entities[name] ?? whole
    return String.fromCodePoint(Number(decimal ?? `0x${hex}`))
  })
}
