/**
 * What `npm test` leaves to `npm run test:long`, and why. `LEFT_FOR_LONG` is what it leaves out; the test runners read
 * it. `SHORTER` names the files that leave out something themselves. What calls `rounds()` repeats itself less often.
 *
 * `npm test` is the loop that everybody waits for. `npm run test:long` runs everything: these files too, with coverage,
 * in every engine, with new random seeds and with more rounds. It also checks the types of `e2e/libraries/`.
 */

/** Whether this run is `npm run test:long`. */
export const isLong = Boolean(process.env.TEST_LONG);

/** Whether this run is the long one after `npm test`, in which the browsers leave out what that has just shown. */
export const isRest = process.env.TEST_LONG === 'rest';

/**
 * What runs only in the long run, each with the reason: a test file, or the tests of a browser spec that begin with the
 * texts after the spec's name, which are the titles of the groups around it and its own.
 */
export const LEFT_FOR_LONG = {
  'test/service/oauth/simple-oauth2.test.ts':
    'It needs the client in .ci/tools/. clients.test.ts beside it has two other clients.',
  'test/service/upgrade/side-by-side.test.ts':
    'It runs the release and this version beside each other, under load. upgrade.test.ts has the migration alone.',
  'test/service/proof/processes.test.ts':
    'It starts six processes, and kills two. stored-proof-keys.test.ts has the keys of several in one.',
  'test/service/proof/many-keys.test.ts':
    'It makes thousands of keys in a process of its own. stored-proof-keys.test.ts makes those of a service.',
  'test/service/batch/million.test.ts':
    'It sends a million addresses twice, and kills a process. large-batches.test.ts has some more than a small body holds.',
  'test/service/batch/large-batches.test.ts':
    'It sends bodies of megabytes, in every encoding. batch-route.test.ts has the same of small ones, and hostile-bodies.test.ts the largest.',
  'test/docs/upgrading.test.ts':
    'It goes to this version and back, with the program of the release. test/cli/backup.test.ts has a backup and its restore.',
  'test/docs/rotate.test.ts':
    'It starts a server and five processes, to rotate the secrets of docs/operations.md. database.test.ts has a refused password, and billing.test.ts a signed request.',
  'test/service/dashboard/hostile-fields.test.ts':
    'It sends twenty texts in each field of each form. hostile-bodies.test.ts has the worst bodies for each route.',
  'e2e/libraries/bundled.spec.ts':
    'Angular, Svelte and Preact are large. React passes the same in e2e/components.spec.ts.',
  'e2e/libraries/hotwire.spec.ts': 'Turbo and Stimulus are no part of the project.',
  'e2e/libraries/libraries.spec.ts': 'jQuery, Bootstrap, Alpine and htmx are no part of the project.',
  'e2e/pictures.spec.ts':
    'It compares pictures in the whole browser. status.spec.ts reads the common styles.',
  'e2e/gallery.spec.ts': 'It shows every state in every language. status.spec.ts shows each once.',
  'e2e/behind-a-path.spec.ts': 'It starts a service behind a proxy for two pages of the demo.',
  'e2e/debug-page.spec.ts': 'It is a page of the demo, for what debug.spec.ts tests.',
  'e2e/demo.spec.ts': 'It types every test address. end-to-end.spec.ts types some.',
  'e2e/documentation.spec.ts': 'It sends every request of the API page, and reads the whole reference.',
  'e2e/masthead.spec.ts': 'It opens every page of the site for the masthead, which test/service/pages tests.',
  'e2e/other-port.spec.ts': 'It starts a demo for each page of another origin. end-to-end.spec.ts has one.',
  'e2e/playground.spec.ts': 'It opens the playground for each option and each simulated failure.',
  'e2e/theme.spec.ts':
    'It opens the theme editor for each setting. Of its rules, test/demo tests the contrast.',
  'e2e/sign-in-story.spec.ts':
    'It tells a story whose parts second-factor.spec.ts, members.spec.ts and single-sign-on.spec.ts have.',
  'e2e/load.spec.ts': 'It uses and removes 10,000 inputs, and looks at the heap.',
  'e2e/dashboard.spec.ts › passes axe on every page': 'It opens about twenty pages, in each colour scheme.',
  'e2e/dashboard.spec.ts › scrolls no page sideways': 'It opens about twenty pages, in two sizes.',
  'e2e/dashboard.spec.ts › keeps every page below': 'It opens about twenty pages.',
  'e2e/dashboard.spec.ts › shows each time in the time zone': 'It opens about twenty pages.',
  'e2e/dashboard.spec.ts › on the touch screen of a phone › cuts no table off':
    'It opens about twenty pages.',
  'e2e/members.spec.ts › invites and accepts by keyboard':
    'The first test of this spec invites by pointer, and test/service/dashboard/members has the same forms.',
  'e2e/members.spec.ts › passes axe': 'It looks at every page of members in each colour scheme.',
  'e2e/second-factor.spec.ts › passes axe': 'It looks at every page of the second factor in two ways.',
  'e2e/second-factor.spec.ts › says without scripts':
    'test/service/dashboard/security has the page without scripts.',
  'e2e/second-factor.spec.ts › confirms with a passkey':
    'test/service/dashboard/guarded-form.test.ts has each guarded form.',
  'e2e/single-sign-on.spec.ts':
    'It starts a provider of others, which is in .ci/tools/. test/service/people/provider has each step with scripted ones.',
  'e2e/browser-proof-page.spec.ts':
    'It is a page of the demo. browser-proof.spec.ts has the token of a submission, and test/server each refusal.',
  'e2e/proof-page.spec.ts':
    'It is a page of the demo. proof.spec.ts has the proof of a submission, and test/server each refusal.',
  'e2e/dashboard-keys.spec.ts › makes every page accessible': 'It looks at every state in two ways.',
  'e2e/dashboard-lists.spec.ts › makes every page accessible': 'It looks at every state in two ways.',
  'e2e/dashboard-lists.spec.ts › reads 50,000 rows': 'It uploads a million cells.',
  'e2e/oauth-pages.spec.ts › makes every page accessible': 'It looks at every state in two ways.',
  'e2e/docs.spec.ts › passes axe and fits 320 px': 'It opens all pages of the documentation.',
  'e2e/captchas.spec.ts › locks no visitor out':
    'It waits for each provider to fail. faults.spec.ts has the widget’s side.',
  'e2e/faults.spec.ts › a failure leaves the visitor free':
    'It causes fifty failures with real servers. test/widget/check has them as responses, and journeys/core.spec.ts a few.',
  'e2e/hostile.spec.ts':
    'It takes all journeys on each of thirty pages that break the language or the document. journeys/core.spec.ts takes them on a sound one.',
  'e2e/painting.spec.ts': 'It replaces each function that asks for a frame, by each kind of failure.',
  'e2e/hosts.spec.ts':
    'It has frames, closed shadow roots, tag managers and views. inputs.spec.ts and forms.spec.ts have the common ones.',
  'e2e/floating.spec.ts › is at an input':
    'It has a layout for each test. place.spec.ts has the common ones.',
  'e2e/floating.spec.ts › stays at its input':
    'It has a change for each test. place.spec.ts has the common ones.',
  'e2e/floating.spec.ts › costs the page nothing: › it takes no room':
    'It has a parent and a rule of the page for each step. place.spec.ts has the common ones.',
  'e2e/floating.spec.ts › costs the page nothing: › nothing moves':
    'It shows every state in every parent. place.spec.ts has the common ones.',
  'e2e/floating.spec.ts › hides with its input':
    'It has a way to hide for each test. reach.spec.ts has the common ones.',
  'e2e/submitters.spec.ts':
    'It presses each kind of button in each order. forms.spec.ts has the common ones, and test/widget/effects the rules.',
  'e2e/captchas.spec.ts':
    'It has each provider in a page. test/captcha has their rules, and test/widget the token.',
  'e2e/components.spec.ts › Vue': 'React passes the same.',
  'e2e/frameworks.spec.ts':
    'It has the widget in an app without the components. components.spec.ts has React with the same journeys.',
  'e2e/browser-proof.spec.ts':
    'It needs the whole browser, with the flags of a trial. test/server/email-token.test.ts has the rules.',
  'e2e/connection.spec.ts': 'It needs the whole browser, which takes seconds to start.',
  'e2e/leaving.spec.ts': 'It needs the whole browser. journeys/core.spec.ts leaves a page and comes back.',
  'e2e/restored.spec.ts': 'It needs the whole browser, for what that fills in by itself.',
  'e2e/being-made.spec.ts':
    'It waits for pages that a start makes. test/service/pages/being-made.test.ts has what they say meanwhile.',
  'e2e/forms.spec.ts › a held submission › into a new window':
    'It waits until the browser forbids a new window.',
  'e2e/end-to-end.spec.ts › fires an error on a page not trusted':
    'It starts a service for one page. test/service/access has its 403, and test/widget/check what the widget makes of it.',
  'e2e/journeys/core.spec.ts › with a second file that is':
    'It takes all journeys three more times: with a second file that is late, missing or changed.',
  'e2e/end-to-end.spec.ts › ends slow@example.com': 'It waits for the time limit of a verification.',
  'e2e/first-minutes.spec.ts':
    'It types every address of the README. end-to-end.spec.ts types the test addresses.',
  'e2e/own-server.spec.ts':
    'It installs the package with npm, and starts the demo. test/server has each decision, and proof.spec.ts the form that carries a proof.',
  'e2e/first-page.spec.ts': 'It looks at one page of the demo in every size and setting.',
  'e2e/recipes.spec.ts': 'It runs each page of the recipes, whose parts have tests of their own.',
  'e2e/docs.spec.ts › replaces the results': 'The results while a reader types are the same.',
  'e2e/docs.spec.ts › leads from an old link': 'test/service/docs has where the old addresses lead.',
  'e2e/docs.spec.ts › works without scripts':
    'It looks at a page in three ways. test/service/docs has its HTML.',
  'e2e/docs.spec.ts › prints the text': 'It is a style sheet for paper.',
  'e2e/docs.spec.ts › shades the side': 'It is the look of a wide table.',
  'e2e/docs.spec.ts › shows a query as text': 'test/service/docs has the same for its HTML.',
  'e2e/docs.spec.ts › shows a way in': 'test/docs follows every link of the pages.',
  'e2e/dashboard.spec.ts › works without scripts on every page':
    'It opens about twenty pages. test/service/dashboard has their HTML, which needs no scripts.',
  'e2e/dashboard-keys.spec.ts › asks for the password again':
    'test/service/people/sign-in has the question, and test/service/dashboard the pages that ask it.',
  'e2e/dashboard-keys.spec.ts › makes, rolls and revokes a key without scripts':
    'test/service/dashboard/keys sends the same forms.',
  'e2e/dashboard-lists.spec.ts › reads a dropped XLSX file':
    'Dropped CSV files take the same way, and test/service/lists reads the workbooks.',
  'e2e/dashboard-lists.spec.ts › works without scripts from the file to the batch':
    'test/service/dashboard/lists sends the same forms.',
  'e2e/faults.spec.ts › no failure › a field other than':
    'It answers with each field missing, null and of a wrong type. test/widget/check has the same.',
  'e2e/oauth-pages.spec.ts › ignores a form of another site':
    'test/service/dashboard/guarded-form.test.ts sends such forms.',
  'e2e/oauth-pages.spec.ts › completes the code flow without scripts': 'The same forms are sent by keyboard.',
  'e2e/oauth-pages.spec.ts › returns the state': 'test/service/oauth has the redirect.',
  'e2e/oauth-pages.spec.ts › keeps the': 'test/service/oauth/pages has the request of each tab.',
  'e2e/oauth-pages.spec.ts › leads from an ended session': 'test/service/oauth/pages has the way back.',
  'e2e/oauth-pages.spec.ts › shows': 'test/service/oauth/pages has the HTML and the headers of each page.',
  'test/docs/batch-processes.test.ts':
    'Three programs verify 2,000 addresses. test/service/batch/live/crash.test.ts kills processes too.',
  'test/docs/batch.test.ts':
    'It runs the programs of a page with a service, a world and a receiver. start.test.ts does so with the first page.',
  'test/server/deno/deno.test.ts':
    'It needs Deno in .ci/tools/. edge.test.ts beside its folder has the entry without anything of Node.',
  'test/docs/server.test.ts':
    'It runs the programs of a page in three languages, and needs Deno, Express, Better Auth and Auth.js in .ci/tools/. test/server has the functions that they call.',
  'test/docs/start.test.ts':
    'It takes the steps of a page with a service and a world. test/cli and test/cli/check have each command.',
  'test/service/docs/errors.test.ts':
    'It causes each error of each operation of the API. The tests of the routes have the errors that are their own.',
  'test/service/app/main-database.test.ts':
    'It starts a process for each way to name a database. test/service/database has the same within one process.',
  'test/install-engines.test.ts': 'It starts and kills the installer of the browsers, which few runs need.',
  'test/service/batch/live/crash-embedded.test.ts':
    'crash.test.ts beside it kills the same processes on a server.',
  'test/service/database/embedded/crash.test.ts':
    'It kills the server of a folder in nine ways. sharing.test.ts beside it starts a folder after a crash.',
  'test/bench/history-bounds.test.ts':
    'It fills a database with the history of years. history.test.ts checks that the bench knows each statement.',
  'test/docs/client-code.test.ts':
    'It runs the code of the API page in each language. test/service/docs/client-code.test.ts runs one of them.',
  'test/widget/package.test.ts':
    'It packs the package, compiles against it, bundles it three times, and needs the checkers in .ci/tools/.',
  'test/service/batch/download/memory.test.ts':
    'It stores 50,000 results, which takes ten seconds, and looks at the heap.',
  'test/service/docs/generators.test.ts':
    'It makes two clients and compiles them, and needs the tools in .ci/tools/. lint.test.ts, openapi.test.ts and postman.test.ts have what they rely on.',
  'test/cli/embedded.test.ts':
    'It makes three databases and starts them eight times. The other files of test/cli have the same on a server.',
  'test/service/database/embedded/refusals.test.ts':
    'Each refusal needs a server. They change when the start of a folder does. start-embedded.test.ts has that.',
  'test/service/database/embedded/server-user.test.ts':
    'It starts servers as several users. start-embedded.test.ts has the start.',
  'test/service/database/embedded/systems.test.ts':
    'Other users, closed folders or missing programs change how a database starts, and nothing else.',
  'test/service/app/main-embedded.test.ts':
    'Each start with a folder takes seconds, and a refusal ten. test/service/database/embedded has the same without the service.',
  'test/service/lists/reading/largest.test.ts':
    'It reads a million rows, and a workbook of 170 MiB. list-table.test.ts has the limit of rows, and read-list.test.ts workbooks of too many parts.',
  'test/service/lists/reading/hostile-workbooks.test.ts':
    'It starts two processes for each of twenty workbooks. read-list.test.ts has what is read of damaged ones.',
  'test/service/lists/reading/sheets-at-once.test.ts':
    'It reads a workbook of 80 MiB. read-list.test.ts reads several sheets.',
  'test/service/lists/reading/bombs.test.ts':
    'Some workbooks keep their process busy until its limit. reader.test.ts has each limit.',
  'test/service/chaos.test.ts':
    'It disturbs three processes for half a minute. The crash tests of test/service kill one at a time.',
  'test/service/credits/billing/crash.test.ts':
    'It kills processes around a payment. billing.test.ts has what the next process finds, and verify/live/crash.test.ts kills one beside it.',
  'test/service/notices/crash.test.ts':
    'It kills processes that send. test/service/webhooks has the same worker.',
  'test/service/deletion/crash.test.ts':
    'It kills a process after each statement of a deletion. delete-account.test.ts interrupts some within the process.',
  'test/service/database/backup/replica.test.ts':
    'It makes a second server that follows the first. test/cli/backup.test.ts has the same on one server.',
  'test/service/database/migrating.test.ts':
    'It starts processes that migrate at once, and kills some. migrate.test.ts has each migration.',
  'test/service/database/broken-connections.test.ts':
    'It breaks the connection before, in and after every statement. database-away.test.ts has a database that goes.',
  'test/service/keys/released-keys.test.ts': 'It collects garbage, and needs a worker of its own for that.',
  'test/build/start.test.ts':
    'It starts the service from nothing, and kills builds. build.test.ts has the parts of a build, and test/service/app the process.',
  'test/service/lists/files.test.ts':
    'It takes 59 made files from the upload to the download. test/service/lists and test/service/dashboard have each rule once.',
  'test/service/database/backup/backup.test.ts':
    'It restores backups of every version. test/cli/backup.test.ts has one of this version.',
  'test/service/roles/stopping.test.ts':
    'A process waits for the time limits of stopping. test/service/app/stop.test.ts has them in one process.',
  'test/service/roles/leaderless.test.ts':
    'Two services run all jobs at once. The jobs’ own tests have two processes each.',
  'test/docs/oauth.test.ts':
    'It runs the programs of a page with a service. test/service/oauth/clients.test.ts has the same flows.',
  'test/service/people/provider/openid-provider.test.ts':
    'It runs a provider that others have written, which is in .ci/tools/. The other tests of its folder have each step with scripted ones.',
  'test/service/clients/emailable.test.ts':
    'It runs the tests of the official client, which is in .ci/tools/. test/service/verify and test/service/batch have the same responses.',
  'test/service/clients/live-batches.test.ts':
    'The official client, which is in .ci/tools/, runs live batches. test/service/batch has the same responses.',
  'test/service/upgrade/upgrade.test.ts':
    'It goes on with the database of each release. test/service/database/migrate.test.ts has each migration.',
  'test/cli/older-schema.test.ts':
    'Each command meets an older database. test/service/database/database.test.ts has a service that does.',
  'test/service/database/embedded/sharing.test.ts':
    'It starts several servers in one folder. start-embedded.test.ts beside it starts one.',
  'test/service/database/embedded-database.test.ts':
    'Each opening starts a server. start-embedded.test.ts has the start.',
  'test/service/operations/metrics/process.test.ts':
    'It reads the figures of processes. service.test.ts beside it has those of one service.',
  'test/service/operations/metrics/deploy.test.ts':
    'It runs three roles for the rules and charts of deploy/. The other tests of its folder have the figures.',
  'test/service/http/hostile-bodies.test.ts':
    'It sends the largest bodies to each route, and counts steps. test/service/core/json.test.ts and test/service/hostile-sizes.test.ts have what reads them.',
  'test/service/batch/callbacks/crash.test.ts':
    'It kills senders of callbacks. callback-store.test.ts has what the next process finds, and batch/live/crash.test.ts kills workers.',
  'test/service/batch/stored-address/name-store.test.ts':
    'It makes thousands of batches. match-address.test.ts has the rules.',
  'test/service/verify/live/long-snapshot.test.ts':
    'It books thousands of verifications under an open snapshot. open-snapshot.test.ts in pacing has one, too.',
  'e2e/awkward-forms.spec.ts':
    'It has forms that are sent in unusual ways. forms.spec.ts has the common ones.',
  'e2e/journeys/face-policies.spec.ts':
    'It loads the second file under each policy of a page. face.spec.ts has one that is late or missing.',
  'e2e/first-screen.spec.ts':
    'The page types an address letter by letter. end-to-end.spec.ts types one in the same service.',
  'e2e/debug.spec.ts':
    'It reads the console of a page for each event. It is a tool for authors, which visitors never load.',
  'e2e/debug-file.spec.ts': 'It is the file of debug.spec.ts.',
  'e2e/locales.spec.ts':
    'It shows the texts in other languages. test/locales has the texts, and the journeys are in English.',
  'e2e/malformed.spec.ts': 'It reads the browser’s own messages. test/widget/field.test.ts has the page’s.',
  'e2e/overrides.spec.ts':
    'It changes them in the task of a submission. test/widget/widget.test.ts has other changes.',
  'e2e/cost.spec.ts': 'It counts functions and objects of many inputs.',
  'e2e/styling.spec.ts': 'It sets every custom property. status.spec.ts has the colours by default.',
  'e2e/inline.spec.ts': 'It shows the status in the flow of the page. status.spec.ts has it there, too.',
  'e2e/cloned-rows.spec.ts': 'It copies rows in each state. inputs.spec.ts adds and removes inputs.',
  'e2e/appearance.spec.ts':
    'It sets styles of a page against those of the status. status.spec.ts has the status on a plain page.',
  'e2e/testing-kit.spec.ts': 'It is for the tests of others. test/testing has its functions.',
  'e2e/dashboard-lists.spec.ts › reads a list again in the encoding':
    'test/service/dashboard/lists chooses encodings by the same form.',
  'e2e/dashboard-lists.spec.ts › reports a file that is not a list':
    'test/service/dashboard/lists has each file that is refused.',
  'e2e/dashboard-lists.spec.ts › shows the progress of an upload': 'It sends a file slowly.',
  'e2e/dashboard-lists.spec.ts › gives a workbook of three sheets back':
    'test/service/dashboard/lists/other-sheets.test.ts has the same download.',
  'e2e/dashboard-lists.spec.ts › works by keyboard':
    'dashboard-keys.spec.ts uses the same forms and buttons by keyboard.',
  'e2e/forms.spec.ts › a click': 'journeys/core.spec.ts holds a form that is sent by a click.',
  'e2e/forms.spec.ts › Enter in the field': 'journeys/core.spec.ts holds a form that is sent by Enter.',
  'e2e/forms.spec.ts › requestSubmit() by the page': 'journeys/core.spec.ts holds a submission by script.',
  'e2e/forms.spec.ts › a held submission › is dropped when its':
    'It takes the form or the button away meanwhile. A changed address and a reset drop a submission, too.',
  'e2e/forms.spec.ts › a held submission › is carried out after':
    'It has a failure for each test. test/widget/field.test.ts has every way out, and journeys/core.spec.ts a few.',
  'e2e/forms.spec.ts › a held submission › that has ended in a rejection':
    'A visitor who has moved on keeps the focus in the first group of the spec, too.',
  'e2e/forms.spec.ts › while a verdict is pending › a page that posts by script':
    'journeys/core.spec.ts has a page that checks the validity itself.',
  'e2e/forms.spec.ts › a value without an event':
    'test/widget/field.test.ts has values that the visitor has not typed.',
  'e2e/forms.spec.ts › lets no rejected address through':
    'test/widget/effects/submission.test.ts has a page that sets novalidate again.',
  'e2e/forms.spec.ts › lets nothing else of the form through':
    'test/widget/effects/submission.test.ts has a page that sets novalidate again.',
  'e2e/forms.spec.ts › resultField': 'test/widget/effects/result-field.test.ts has the field.',
  'e2e/status.spec.ts › the Tab key › with':
    'It presses Tab with each modifier. The others of its group press it without.',
  'e2e/status.spec.ts › in a fullscreen element': 'A modal dialog is above the page in the same way.',
  'e2e/status.spec.ts › does not print': 'It is a style sheet for paper.',
  'e2e/status.spec.ts › makes the suggestion 44 pixels': 'It is the style of touch screens.',
  'e2e/place.spec.ts › takes no more room than there is':
    'It has narrow places. place.spec.ts has the sides, and test/widget/face/placement.test.ts the bounds.',
  'e2e/place.spec.ts › has the corners of its input': 'It is the look of the corners.',
  'e2e/accessibility.spec.ts › has no fault of axe in any state, in light, dark and forced colours, › in the flow':
    'A floating status has the same elements and colours.',
  'e2e/embedding.spec.ts › uses options other than the key':
    'The test before it embeds in the same three ways, and test/widget/options.test.ts has the options.',
  'e2e/embedding.spec.ts › resolves verify() of an input':
    'test/widget/widget.test.ts resolves it with null for inputs that are not monitored.',
  'e2e/journeys/face.spec.ts › keeps the status in a page':
    'test/widget/face/bubble.test.ts has pages that prevent the bubble.',
  'e2e/members.spec.ts › switches between two accounts':
    'test/service/dashboard/members has the menu, and the pages of the other account.',
  'e2e/second-factor.spec.ts › signs in with an authenticator app':
    'test/service/people/factors has the codes, and test/service/dashboard/security the pages. The passkey stays, which needs a browser.',
  'e2e/dashboard-lists.spec.ts › verifies a sample':
    'test/service/dashboard/lists/forecast.test.ts has the sample.',
  'e2e/dashboard-lists.spec.ts › reports an upload that breaks off':
    'test/service/dashboard/lists/receive-upload.test.ts has uploads that are cut off.',
  'e2e/journeys/face.spec.ts › shows the same from the one file':
    'It takes the journeys with the other file.',
  'e2e/end-to-end.spec.ts › serves the release': 'test/service/files/load-build.test.ts has the releases.',
  'e2e/end-to-end.spec.ts › works on a subdomain': 'test/service/access has the domains of a key.',
  'e2e/end-to-end.spec.ts › works with POST':
    'test/service/verify has POST, and request.spec.ts what the widget sends.',
  'e2e/oauth-pages.spec.ts › completes the device flow':
    'test/service/oauth/device has the flow, and its page is sent like that of the code.',
  'e2e/oauth-pages.spec.ts › lists the apps': 'test/service/dashboard/apps has the list and the removal.',
  'e2e/dashboard-keys.spec.ts › makes, authorises': 'test/service/dashboard/apps sends the same forms.',
  'e2e/dashboard-keys.spec.ts › makes no second key':
    'test/service/dashboard/keys/new-key.test.ts sends the form twice.',
  'e2e/dashboard.spec.ts › on the touch screen of a phone › takes at most':
    'It is the look of a narrow window.',
  'e2e/dashboard.spec.ts › marks the current page': 'It is the look of forced colours.',
  'e2e/proof.spec.ts › is refused if it is one of twelve': 'test/server has each refusal.',
};

/** The files that ask whether the run is long, each with what they leave to it and why. */
export const SHORTER = {
  'e2e/playwright.config.ts':
    'Chromium stands for Firefox and WebKit, and in the journeys its shell for the whole browser.',
  'test/service/people/passwords/common-passwords.test.ts':
    'It leaves out the list’s source, which is in .ci/tools/.',
  'test/service/batch/manage/interleavings.test.ts': 'Three moments of a deletion stand for eight.',
  'e2e/reach.spec.ts': 'Two ways to hide a part stand for the others.',
  'test/service/app/main.test.ts': 'SIGTERM stands for SIGINT. A folder that cannot be used is left out.',
  'test/cli/account.test.ts': 'It leaves out a large account. delete-account.test.ts has its deletion.',
  'test/cli/backup.test.ts': 'It leaves out a killed restore, pipes, and a backup that is cut off.',
  'test/cli/main.test.ts': 'It leaves out commands beside a running service, and those that npm starts.',
  'test/engine/pacing/pacing-suite.ts': 'It leaves out a million conversations in a minute.',
  'test/service/app/housekeeping.test.ts': 'It leaves out tables with more rows than one statement deletes.',
  'test/service/batch/batch-route.test.ts':
    'It leaves out 50,000 addresses, and a body that is too large. hostile-bodies.test.ts has the latter.',
  'test/service/batch/creation.test.ts': 'It leaves out processes that are killed while they create a batch.',
  'test/service/batch/download/archive.test.ts':
    'It leaves out an archive that is larger than what a client reads.',
  'test/service/batch/download/download-route.test.ts': 'It leaves out slow clients.',
  'test/service/batch/live/batch-worker.test.ts': 'It leaves out dozens of accounts with batches.',
  'test/service/batch/live/crash.test.ts':
    'It leaves out kills at random moments. Those at chosen moments stay.',
  'test/service/batch/live/domains.test.ts': 'It leaves out many addresses of one domain.',
  'test/service/batch/live/engine.test.ts': 'It leaves out a large batch at few mail servers.',
  'test/service/batch/stored-address/match-address.test.ts': 'It leaves out a search for every kind of text.',
  'test/service/batch/turns/turn-store.test.ts': 'It leaves out a queue of thousands of batches.',
  'test/service/books/audit-books.test.ts': 'It leaves out an audit beside a service that works.',
  'test/service/books/audit-night.test.ts': 'It leaves out an audit of several turns in several processes.',
  'test/service/credits/billing/wiring.test.ts':
    'It leaves out the pauses after refused payments. billing.test.ts has them without waiting.',
  'test/service/dashboard/batches/result-download.test.ts': 'It leaves out slow clients, and many at once.',
  'test/service/dashboard/lists/list-entries.test.ts': 'It leaves out long cells.',
  'test/service/dashboard/lists/lists-pages.test.ts': 'It leaves out long lists and long cells.',
  'test/service/dashboard/settings/address-page.test.ts': 'It leaves out many searches at once.',
  'test/service/dashboard/verify/several-pages.test.ts': 'It leaves out a page that waits for verifications.',
  'test/service/database/embedded/start-embedded.test.ts':
    'It leaves out a second stop, a failed statement, and a long path. Each needs a server.',
  'test/service/database-away.test.ts': 'It leaves out verifications that outlast an outage.',
  'test/service/deletion/delete-account.test.ts':
    'It leaves out a deletion that is interrupted at each step.',
  'test/service/http/slow-clients.test.ts': 'It leaves out 200 clients at once.',
  'test/service/jobs/process-lease.test.ts':
    'It leaves out an open snapshot, and a lock that another session keeps.',
  'test/service/lists/list-retention.test.ts': 'It leaves out a draft that outlasts a restart.',
  'test/service/lists/reading/list-reader.test.ts':
    'It leaves out a process without memory, and lists that arrive slowly.',
  'test/service/oauth/process.test.ts':
    'It leaves out a process that is killed. oauth/concurrency.test.ts has two processes.',
  'test/service/people/sign-in/strangers.test.ts': 'It leaves out thirty guesses from as many networks.',
  'test/service/usage/service.test.ts': 'It leaves out a process that is killed.',
  'test/service/verify/domains/stored-domain-facts.test.ts':
    'It leaves out a process that is killed while it asks.',
  'test/service/verify/live-engine.test.ts':
    'It leaves out an organisation that slows several processes down.',
  'test/service/verify/live/crash.test.ts':
    'It leaves out kills on the way of many verifications. A kill at a chosen moment stays.',
  'test/service/dashboard/roles-walk.test.ts':
    'It leaves out following every link of every page in each role.',
  'test/build/build.test.ts': 'It leaves out a build of every part, which npm test has just made.',
  'test/service/batch/live/poison.test.ts': 'It leaves out processes that die again and again.',
  'test/service/oauth/concurrency.test.ts': 'It leaves out deletions of apps and accounts meanwhile.',
  'test/service/batch/batch-retention.test.ts': 'It leaves out four processes, and a list of many rows.',
  'test/service/batch/samples.test.ts':
    'It leaves out large batches of others. turn-store.test.ts has the turns.',
  'test/service/batch/manage/stop-batch.test.ts': 'It leaves out a stop while results are stored.',
  'test/service/verify/pacing/stored-pacing.test.ts':
    'It leaves out two processes that begin at once. Those that take turns stay.',
  'test/service/batch/callbacks/processes.test.ts':
    'It leaves out several processes. webhook-worker.test.ts has four in one.',
  'test/service/core/json.test.ts': 'It leaves out a body of 8 MiB.',
  'test/demo/playground/snippets.test.ts':
    'It leaves out a compilation. e2e/components.spec.ts compiles the same.',
  'test/service/idempotency/idempotency.test.ts': 'It leaves out 10,000 responses.',
  'test/service/limits/unique-per-day.test.ts': 'It leaves out 100,000 visitors.',
};

const SPEC_OR_TESTS = /^e2e\/([^ ]+)(?: › (.+))?$/;

/** The specs of {@link LEFT_FOR_LONG}, as patterns of Playwright. */
export const specsLeft = () =>
  Object.keys(LEFT_FOR_LONG).flatMap((name) => {
    const [, spec, title] = SPEC_OR_TESTS.exec(name) ?? [];
    return spec && !title ? [spec] : [];
  });

/** The tests of {@link LEFT_FOR_LONG}, as patterns for "project spec title", which Playwright matches. */
export const leftTests = () =>
  Object.keys(LEFT_FOR_LONG).flatMap((name) => {
    const [, spec, title] = SPEC_OR_TESTS.exec(name) ?? [];
    return title ? [new RegExp(`(?:^| )${escaped(spec)} ${escaped(title.replaceAll(' › ', ' '))}`)] : [];
  });

/** All that `npm test` leaves out of the browser tests, also within a spec, as patterns as those of {@link leftTests}. */
export const restOfTests = () => {
  const shorter = Object.keys(SHORTER).flatMap((name) => /^e2e\/(.+\.spec\.ts)$/.exec(name)?.[1] ?? []);
  return [
    ...[...specsLeft(), ...shorter].map((spec) => new RegExp(`(?:^| )${escaped(spec)} `)),
    ...leftTests(),
  ];
};

const escaped = (text) => text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');

/** How often a test repeats something random or expensive: `few` times in `npm test`, `many` times in the long run. */
export const rounds = (few, many) => (isLong ? many : few);

/** The seed of every random test: `FUZZ_SEED`, or the same in each `npm test`, or a new one in the long run. A failure prints it. */
export const SEED = Number(
  process.env.FUZZ_SEED ?? (isLong ? Math.floor(Math.random() * 2 ** 31) : 20_261_124),
);
