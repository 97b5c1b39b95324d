/** Texts that visitors send. Logs contain them unchanged, so some are hostile on purpose. */

/** Texts that break naive parsers of lines or spreadsheet cells, web pages, or terminals. */
export const hostileTexts = [
  'a|pipe|in|the|text',
  'a "quoted" and a \'single-quoted\' part',
  'first line\nsecond line\r\nthird line',
  'emoji 🦊 and 漢字',
  '\u001b[31mred\u001b[0m\u001b]0;title\u0007',
  '=cmd()',
  '@SUM(1+1)*cmd|!A0',
  '<script>alert(1)</script>',
  '"><img src=x onerror=alert(1)>',
  "'; DROP TABLE logs; --",
  '../../etc/hosts',
  '%00%0d%0aSet-Cookie:%20a=b',
  'tab\tand\u0000nul',
  'lone surrogate \ud83d end',
  '-',
] as const

export const userAgents = [
  'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0',
  'Mozilla/5.0 (iPhone; CPU iPhone OS 18_5 like Mac OS X) AppleWebKit/605.1.15',
  'curl/8.14.1',
  'ExampleBot/2.1 (+https://bot.example.com)',
] as const

export const referers = [
  'https://www.example.com/',
  'https://shop.example.org/cart?step=2',
  'https://news.example.net/a',
] as const

export const paths = [
  '/',
  '/index.html',
  '/img/logo.svg?v=3',
  '/video/intro.mp4',
  '/api/items?page=2&sort=name',
  '/assets/app-4f1c.js',
] as const

export const edges = ['DE', 'NY', 'SG', 'LON', 'SYD'] as const

/** Country, address (from the documentation ranges of RFC 5737 and RFC 3849), network number and network name of visitors. */
export const visitors = [
  ['DE', '198.51.100.23', 64496, 'Example Networks GmbH'],
  ['DE', '198.51.100.99', 64496, 'Example Networks GmbH'],
  ['US', '203.0.113.7', 64497, 'Example Transit, Inc.'],
  ['FR', '192.0.2.141', 64498, 'Exemple Réseaux'],
  ['JP', '2001:db8:17:5::1:9a', 64499, 'Example Mobile'],
  ['JP', '2001:db8:17:5:aaaa::2', 64499, 'Example Mobile'],
  ['BR', '2001:db8:beef::1', 64500, 'Exemplo S|A'],
] as const

/** A path of 8 KiB, a common maximum of servers. */
export const longPath = `/long?q=${'x'.repeat(8_184)}`

/** TLS client fingerprints (JA4). Many visitors share one. */
export const fingerprints = [
  't13d1516h2_8daaf6152771_02713d6af862',
  't13d1517h2_8daaf6152771_b1ff8ab2d16f',
  't13d1715h2_5b57614c22b0_3d5424432f57',
  't12d1209h1_d34a8e72043a_b39be8c56a14',
] as const
