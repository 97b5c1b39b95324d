/** One request as the platform keeps it: every field of a log entry, and what decides whether it is shown. */
export interface LogRow {
  /** Milliseconds since 1970, UTC; with a fraction where the store is finer than what it shows. */
  readonly timestamp: number
  /** When the row can first be read, in milliseconds since 1970; at once where absent. */
  readonly visibleFrom?: number | undefined
  /** Decimal int64. */
  readonly pullZoneId: string
  readonly requestId: string | null
  readonly cacheStatus: string
  readonly statusCode: number
  /** Headers and body. */
  readonly bytesSent: number | bigint
  /** As the visitor had it; anonymised only where it is shown. */
  readonly remoteIp: string | null
  readonly countryCode: string | null
  readonly userAgent: string | null
  readonly referer: string | null
  readonly ja4Fingerprint: string | null
  readonly asn: number | null
  readonly asnOrganization: string | null
  readonly edgeLocation: string
  readonly scheme: string
  readonly host: string
  /** With the query string. */
  readonly path: string
  /** The last three are shown with extended logging only. */
  readonly bodyBytesSent: number | bigint | null
  readonly contentRange: string | null
  readonly authorizationHeader: string | null
  /** Whether the edge sent it to the origin shield. */
  readonly originShield: boolean
}
