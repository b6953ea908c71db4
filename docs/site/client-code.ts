/** Writes the code of a request in the languages of programs that use the API. Knows HTTP, and nothing of our routes. */

/** A request that a program sends. */
export interface ClientRequest {
  readonly method: string;
  /** Without a query. */
  readonly url: string;
  /** Sent in the header `Authorization`. */
  readonly key: string;
  /** In a POST, they are a body of JSON, and otherwise the query. */
  readonly fields: Readonly<Record<string, string | readonly string[]>>;
  /** Whether the response can be a 249. The code then sends the request again. */
  readonly mayTakeLonger: boolean;
}

/** How often the code sends a request in all. */
export const TRIES = 5;

type Write = (request: ClientRequest) => string;

const quote = (text: string) => JSON.stringify(text);
const authorization = ({ key }: ClientRequest) => quote(`Bearer ${key}`);
const hasBody = ({ method }: ClientRequest) => method === 'POST';
const hasQuery = (request: ClientRequest) => !hasBody(request) && Object.keys(request.fields).length > 0;

/** The fields as the literal of a language. @param list around the entries of a list @param pair between name and value */
function literal({ fields }: ClientRequest, pair: string, list = ['[', ']']): string {
  const pairs = Object.entries(fields).map(([name, value]) => {
    const written =
      typeof value === 'string' ? quote(value) : `${list[0]}${value.map(quote).join(', ')}${list[1]}`;
    return `${quote(name)}${pair}${written}`;
  });
  return pairs.join(', ');
}

/** The lines that are not false, without indentation of this file. */
const lines = (...parts: readonly (string | false)[]): string =>
  parts.filter((part): part is string => part !== false).join('\n');

const indent = (by: string, text: string): string => text.replace(/^(?=.)/gm, by);

const curl: Write = (request) => {
  const { url, fields, mayTakeLonger } = request;
  const command = lines(
    `curl --fail-with-body ${hasQuery(request) ? '-G ' : ''}${url} \\`,
    `  -H ${shell(`Authorization: Bearer ${request.key}`)} \\`,
    ...(hasBody(request)
      ? [`  -H 'Content-Type: application/json' \\`, `  -d ${shell(JSON.stringify(fields))} \\`]
      : Object.entries(fields).map(([name, value]) => `  --data-urlencode ${shell(`${name}=${value}`)} \\`)),
  );
  return mayTakeLonger
    ? lines(
        '# 249 after the body means: not finished yet. Send it again.',
        command,
        `  -w '\\n%{http_code}\\n'`,
      )
    : command.replace(/ \\$/, '');
};

const shell = (text: string) => `'${text.replaceAll("'", String.raw`'\''`)}'`;

const AGAIN = '249: not finished, without a result. Send it again.';

const javascript: Write = (request) => {
  const { url, mayTakeLonger } = request;
  const send = lines(
    `${mayTakeLonger ? '' : 'const '}response = await fetch(${hasQuery(request) ? `\`${url}?\${query}\`` : quote(url)}, {`,
    hasBody(request) && `  method: "POST",`,
    hasBody(request)
      ? `  headers: { Authorization: ${authorization(request)}, "Content-Type": "application/json" },`
      : `  headers: { Authorization: ${authorization(request)} },`,
    hasBody(request) && `  body: JSON.stringify({ ${literal(request, ': ')} }),`,
    `});`,
  );
  return lines(
    hasQuery(request) && `const query = new URLSearchParams({ ${literal(request, ': ')} });`,
    mayTakeLonger
      ? lines(
          `let response;`,
          `for (let tries = 0; tries < ${TRIES}; tries += 1) {`,
          indent('  ', send),
          `  // ${AGAIN}`,
          `  if (response.status !== 249) break;`,
          `}`,
        )
      : send,
    `const body = await response.json();`,
    `if (response.status !== 200) throw new Error(\`\${response.status}: \${body.message}\`);`,
    `console.log(body);`,
  );
};

const python: Write = (request) => {
  const { url, mayTakeLonger } = request;
  const send = lines(
    `try:`,
    `    response = urlopen(request, timeout=30)`,
    `except HTTPError as error:`,
    `    response = error`,
    `status, body = response.status, json.load(response)`,
  );
  return lines(
    `import json`,
    `from urllib.error import HTTPError`,
    hasQuery(request) && `from urllib.parse import urlencode`,
    `from urllib.request import Request, urlopen`,
    ``,
    hasQuery(request) && `query = urlencode({${literal(request, ': ')}})`,
    `request = Request(`,
    `    ${hasQuery(request) ? `${quote(`${url}?`)} + query` : quote(url)},`,
    hasBody(request) && `    json.dumps({${literal(request, ': ')}}).encode(),`,
    hasBody(request)
      ? `    {"Authorization": ${authorization(request)}, "Content-Type": "application/json"},`
      : `    headers={"Authorization": ${authorization(request)}},`,
    `)`,
    mayTakeLonger
      ? lines(
          `for _ in range(${TRIES}):`,
          indent('    ', send),
          `    # ${AGAIN}`,
          `    if status != 249:`,
          `        break`,
        )
      : send,
    `if status != 200:`,
    `    raise SystemExit(f"{status}: {body['message']}")`,
    `print(body)`,
  );
};

const php: Write = (request) => {
  const { url, mayTakeLonger } = request;
  const send = lines(
    `$stream = fopen($url, "r", false, stream_context_create(["http" => $options]));`,
    `$status = (int) explode(" ", stream_get_meta_data($stream)["wrapper_data"][0])[1];`,
    `$body = json_decode(stream_get_contents($stream), true);`,
  );
  const fields = `[${literal(request, ' => ')}]`;
  return lines(
    `<?php`,
    hasQuery(request) ? `$url = ${quote(`${url}?`)} . http_build_query(${fields});` : `$url = ${quote(url)};`,
    `$options = [`,
    hasBody(request) && `    "method" => "POST",`,
    `    "header" => [`,
    `        ${authorizationLine(request)},`,
    hasBody(request) && `        "Content-Type: application/json",`,
    `    ],`,
    hasBody(request) && `    "content" => json_encode(${fields}),`,
    `    // Errors have a body too.`,
    `    "ignore_errors" => true,`,
    `    "timeout" => 30,`,
    `];`,
    mayTakeLonger
      ? lines(
          `for ($tries = 0; $tries < ${TRIES}; $tries++) {`,
          indent('    ', send),
          `    // ${AGAIN}`,
          `    if ($status !== 249) break;`,
          `}`,
        )
      : send,
    `if ($status !== 200) throw new Exception("$status: {$body['message']}");`,
    `print_r($body);`,
  );
};

const authorizationLine = ({ key }: ClientRequest) => quote(`Authorization: Bearer ${key}`);

const go: Write = (request) => {
  const { method, url, mayTakeLonger } = request;
  const isPost = hasBody(request);
  const fields = literal(request, ': ', ['[]string{', '}']);
  const query = literal(request, ': {').replaceAll(/"(?=, "|$)/g, '"}');
  const send = lines(
    isPost && `body, err := json.Marshal(map[string]any{${fields}})`,
    isPost && check,
    `request, err := http.NewRequest(${quote(method)}, ${hasQuery(request) ? `${quote(`${url}?`)}+query.Encode()` : quote(url)}, ${isPost ? 'bytes.NewReader(body)' : 'nil'})`,
    check,
    `request.Header.Set("Authorization", ${authorization(request)})`,
    isPost && `request.Header.Set("Content-Type", "application/json")`,
    `response, err := client.Do(request)`,
    check,
    `text, err := io.ReadAll(response.Body)`,
    `response.Body.Close()`,
    check,
  );
  const show = lines(
    `if response.StatusCode != 200 {`,
    `\tlog.Fatalf("%d: %s", response.StatusCode, text)`,
    `}`,
    `fmt.Println(string(text))`,
  );
  return lines(
    `package main`,
    ``,
    `import (`,
    isPost && `\t"bytes"`,
    isPost && `\t"encoding/json"`,
    `\t"fmt"`,
    `\t"io"`,
    `\t"log"`,
    `\t"net/http"`,
    hasQuery(request) && `\t"net/url"`,
    `\t"time"`,
    `)`,
    ``,
    `func main() {`,
    `\tclient := http.Client{Timeout: 30 * time.Second}`,
    hasQuery(request) && `\tquery := url.Values{${query}}`,
    mayTakeLonger
      ? lines(
          `\tfor tries := 1; ; tries++ {`,
          indent('\t\t', send),
          `\t\t// ${AGAIN}`,
          `\t\tif response.StatusCode == 249 && tries < ${TRIES} {`,
          `\t\t\tcontinue`,
          `\t\t}`,
          indent('\t\t', show),
          `\t\treturn`,
          `\t}`,
        )
      : indent('\t', lines(send, show)),
    `}`,
  );
};

const check = lines(`if err != nil {`, `\tlog.Fatal(err)`, `}`);

const ruby: Write = (request) => {
  const { url, mayTakeLonger } = request;
  const isPost = hasBody(request);
  const fields = `{ ${literal(request, ' => ')} }`;
  const send = lines(
    `response = Net::HTTP.start(uri.host, uri.port, use_ssl: uri.scheme == "https", read_timeout: 30) do |http|`,
    `  http.request(request)`,
    `end`,
  );
  return lines(
    `require "json"`,
    `require "net/http"`,
    ``,
    `uri = URI(${quote(url)})`,
    hasQuery(request) && `uri.query = URI.encode_www_form(${fields})`,
    `request = Net::HTTP::${isPost ? 'Post' : 'Get'}.new(uri, "Authorization" => ${authorization(request)}${isPost ? ', "Content-Type" => "application/json"' : ''})`,
    isPost && `request.body = JSON.generate(${fields})`,
    mayTakeLonger
      ? lines(
          `response = nil`,
          `${TRIES}.times do`,
          indent('  ', send),
          `  # ${AGAIN}`,
          `  break unless response.code == "249"`,
          `end`,
        )
      : send,
    `body = JSON.parse(response.body)`,
    `abort "#{response.code}: #{body["message"]}" unless response.code == "200"`,
    `puts JSON.pretty_generate(body)`,
  );
};

/** The code of a request in each language, in the order in which it is shown. */
export const LANGUAGES: readonly { readonly name: string; readonly id: string; readonly write: Write }[] = [
  { name: 'curl', id: 'sh', write: curl },
  { name: 'JavaScript', id: 'js', write: javascript },
  { name: 'Python', id: 'python', write: python },
  { name: 'PHP', id: 'php', write: php },
  { name: 'Go', id: 'go', write: go },
  { name: 'Ruby', id: 'ruby', write: ruby },
];
