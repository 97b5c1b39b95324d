/** Names under which platforms send credentials: keys, tokens, passwords, sessions and signatures, in the usual spellings. */
export const secretNames: readonly string[] = `
  apiKey api_key ApiKey APIKEY apikey AccessKey accesskey access_key_id AWSSigningKey AWSSigningSecret aws_secret_access_key
  aws_access_key_id AuthHeader auth authHeader basicAuth Authorization authorizationHeader X-Auth-Token bearer Bearer jwt JWT
  idToken refresh refresh_token session sessionId session_id sid sig signature Signature hmac csrf otp totpSeed pin password
  passwd pwd pass passphrase Passwort secret secretValue clientSecret client_secret_value credentials Credential creds cookie
  Cookies set-cookie private_key privateKey PrivateKeyPem pem certificateKey CertificateKey sshKey signingkey webhookUrl
  connectionString ConnectionString dsn sasToken sas StoragePassword ZoneSecurityKey SecurityKeyHash LogForwardingToken
  OptimizerWatermarkToken TokenValue KeyValue tokenAuthenticationKey ReadOnlyApiKey DnsSecPrivate LicenseKey licence authkey
  privatekey secretkey apikeys keys KEY key
`
  .trim()
  .split(/\s+/)

/** Names that only resemble the name of a credential. */
export const otherNames: readonly string[] = `
  Keyboard monkey TokenCount PasswordPolicy EnableTokenAuthentication constructor author authority Connection requestId cacheKey
  publicKey compass inside mapping keyword secretary passed spin www-authenticate content-type x-request-id OriginUrl Hostname
`
  .trim()
  .split(/\s+/)
