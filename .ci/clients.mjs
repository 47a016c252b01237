// Real clients against a built Burin: the official TypeScript SDK and the
// inspector's command line, in every dialect. Started by clients.sh:
//
//   node clients.mjs --burin FILE --sdk FOLDER --inspector FOLDER --node FILE
//
// The folders hold node_modules. Every check is a line; the last line counts.

import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import fs from 'node:fs';
import { createRequire } from 'node:module';
import os from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import { parseArgs, promisify } from 'node:util';

const { values: given } = parseArgs({
  options: { burin: { type: 'string' }, sdk: { type: 'string' }, inspector: { type: 'string' }, node: { type: 'string' } },
});
const require = createRequire(path.join(given.sdk, 'here.js'));
const { Client } = require('@modelcontextprotocol/sdk/client/index.js');
const { StdioClientTransport } = require('@modelcontextprotocol/sdk/client/stdio.js');
const { ElicitRequestSchema, ListRootsRequestSchema } = require('@modelcontextprotocol/sdk/types.js');
const { Ajv } = require('ajv');
const { Ajv2020 } = require('ajv/dist/2020.js');

const here = fs.realpathSync(fs.mkdtempSync(path.join(os.tmpdir(), 'burin-clients-')));
process.on('exit', () => fs.rmSync(here, { recursive: true, force: true }));
for (const signal of ['SIGINT', 'SIGTERM']) process.on(signal, () => process.exit(130));

// ---- the dialects ----

// How a dialect spells what is checked: names, arguments, and how the text of
// a file is got back from the answer to a read.
const unnumbered = (text) => text.split('\n').map((line) => line.replace(/^ *\d+\t/, '')).join('\n');
const ended = (text) => (text.endsWith('\n') ? text : `${text}\n`);
const lastLineOff = (text) => text.slice(0, text.lastIndexOf('\n') + 1);

const native = {
  tools: ['Read', 'Write', 'Edit'],
  read: (file, part) => ['Read', { file_path: file, ...(part && { offset: part.first, limit: part.count }) }],
  write: (file, content) => ['Write', { file_path: file, content }],
  edit: (file, old, now) => ['Edit', { file_path: file, old_string: old, new_string: now }],
  text: (answer) => unnumbered(lastLineOff(answer)),
};

const dialects = {
  native,
  claude: { ...native, text: (answer) => ended(unnumbered(answer.replace(/\n\n<system-reminder>[^]*$/, ''))) },
  wave: { ...native, text: (answer) => ended(unnumbered(answer.split(/\n─{10,}\n/)[1])) },
  kimi: {
    tools: ['Read', 'Write', 'Edit'],
    read: (file, part) => ['Read', { path: file, ...(part && { line_offset: part.first, n_lines: part.count }) }],
    write: (file, content) => ['Write', { path: file, content }],
    edit: (file, old, now) => ['Edit', { path: file, old_string: old, new_string: now }],
    text: (answer) => unnumbered(lastLineOff(answer)),
  },
  handbook: {
    tools: ['read_file', 'write_file'],
    read: (file, part) => ['read_file', { path: file, ...(part && { offset: part.first - 1, limit: part.count }) }],
    write: (file, content) => ['write_file', { path: file, content }],
    text: (answer) => JSON.parse(answer).content,
  },
  mini: {
    tools: ['read_file', 'write_file', 'edit_file'],
    read: (file, part) => ['read_file', { path: file, ...(part && { offset: part.first, limit: part.count }) }],
    write: (file, content) => ['write_file', { path: file, content }],
    edit: (file, old, now) => ['edit_file', { path: file, old_string: old, new_string: now }],
    text: (answer) => ended(unnumbered(answer.slice(answer.indexOf('\n') + 1))),
  },
};

const TEXT = 'first line\n\tsecond "quoted" \\ and a tab\nthird: ü → 中 🙂\n';

// ---- checks ----

let passed = 0;
let failed = 0;

async function check(name, what) {
  const limit = new AbortController();
  const late = sleep(30_000, undefined, { signal: limit.signal }).then(
    () => { throw new Error('no end after 30 seconds'); }, () => {});
  try {
    await Promise.race([what(), late]);
    passed++;
    console.log(`ok    ${name}`);
  } catch (e) {
    failed++;
    console.log(`FAIL  ${name}: ${String(e?.message ?? e).replace(/\s+/g, ' ').slice(0, 600)}`);
  } finally {
    limit.abort();
  }
}

const textOf = (result) => {
  assert.equal(result.content.length, 1, 'one part is wanted');
  assert.equal(result.content[0].type, 'text');
  return result.content[0].text;
};
const onDisk = (file) => fs.readFileSync(file, 'utf8');
const put = (file, content) => { fs.mkdirSync(path.dirname(file), { recursive: true }); fs.writeFileSync(file, content); return file; };

// ---- one conversation ----

// A Talk is a client of the SDK and the server that it has started. It keeps
// what should not have happened: lines on standard output that are no
// messages, answers to nothing, anything on standard error.
class Talk {
  static async begin(flags, { capabilities = {}, cwd = here, handlers = [], ready } = {}) {
    const t = new Talk();
    t.transport = new StdioClientTransport({
      command: given.burin, args: ['mcp', ...flags], cwd, stderr: 'pipe', env: { HOME: path.join(here, 'home') },
    });
    t.wrong = [];
    t.transport.stderr.on('data', (b) => t.wrong.push(`on standard error: ${b}`));
    t.client = new Client({ name: 'burin-checks', version: '1.0.0' }, { capabilities });
    for (const [schema, handler] of handlers) t.client.setRequestHandler(schema, handler);
    t.client.onerror = (e) => t.wrong.push(String(e?.message ?? e));
    ready?.(t);
    await t.client.connect(t.transport);
    t.process = t.transport._process;
    return t;
  }

  // quiet wants no answer to a call that was given up: the protocol says that
  // there should be none, and the client takes one for a fault. Only a call
  // that was done before it heard of it may have answered.
  async quiet() {
    await sleep(100);
    const done = (w) => /response for an unknown message ID/.test(w) && !/"isError":true|"error":\{/.test(w);
    assert.deepEqual(this.wrong.splice(0).filter((w) => !done(w)), []);
  }

  call([name, args], options) { return this.client.callTool({ name, arguments: args }, undefined, options); }

  async good(call, options) {
    const r = await this.call(call, options);
    assert.ok(!r.isError, `failed: ${JSON.stringify(r.content)}`);
    return textOf(r);
  }

  async bad(call) {
    const r = await this.call(call);
    assert.equal(r.isError, true, `did not fail: ${JSON.stringify(r.content)}`);
    return textOf(r);
  }

  // end closes the server's input and wants it to go by itself, soon, without
  // complaint.
  async end() {
    const p = this.process;
    const gone = new Promise((resolve) => {
      if (p.exitCode !== null || p.signalCode !== null) resolve({ code: p.exitCode, signal: p.signalCode });
      p.once('exit', (code, signal) => resolve({ code, signal }));
    });
    const began = Date.now();
    await this.client.close();
    assert.deepEqual(await gone, { code: 0, signal: null });
    assert.ok(Date.now() - began < 1500, `took ${Date.now() - began} ms`);
    assert.deepEqual(this.wrong, []);
  }
}

// within runs checks in a conversation and ends it, the end being a check too.
async function within(name, flags, options, checks) {
  let t;
  await check(`${name}: initialize`, async () => {
    t = await Talk.begin(flags, options);
    assert.equal(t.client.getServerVersion().name, 'burin');
    assert.ok(t.client.getServerCapabilities().tools, 'no tools capability');
  });
  if (!t) return;
  try {
    await checks(t);
  } finally {
    await check(`${name}: close; nothing but protocol on standard output`, () => t.end());
  }
}

// ---- what is checked ----

// listed are the names of a dialect's tools as the command line lists them.
async function listed(name) {
  const { stdout } = await promisify(execFile)(given.burin, ['tools', '--dialect', name, '--json']);
  return JSON.parse(stdout).map((x) => x.name).sort();
}

async function tools(name, d) {
  const dir = path.join(here, name, 'tools');
  const file = put(path.join(dir, 'a.txt'), TEXT);
  await within(name, ['--root', dir, '--dialect', name, '--mode', 'acceptEdits'], {}, async (t) => {
    let list;
    await check(`${name}: tools/list`, async () => {
      list = (await t.client.listTools()).tools;
      assert.deepEqual(list.map((x) => x.name).sort(), await listed(name));
      for (const tool of d.tools) {
        const x = list.find((x) => x.name === tool);
        assert.ok(x, `${tool} is not there`);
        assert.equal(x.annotations.readOnlyHint === true, /^read/i.test(tool), `readOnlyHint of ${tool}`);
      }
      for (const x of list) assert.ok(x.description?.length > 20, `${x.name} has no description`);
      const size = Buffer.byteLength(JSON.stringify({ tools: list }));
      assert.ok(size < 12 << 10, `the list takes ${size} bytes`);
    });
    await check(`${name}: input schemas compile, take good arguments and no others`, async () => {
      for (const ajv of [new Ajv({ strict: true }), new Ajv2020({ strict: true })]) {
        const compiled = new Map(list.map((x) => [x.name, ajv.compile(x.inputSchema)]));
        for (const make of [d.read, d.write, d.edit].filter(Boolean)) {
          const [tool, args] = make('a.txt', make === d.read ? { first: 1, count: 2 } : 'x', 'y');
          const fits = compiled.get(tool);
          assert.ok(fits(args), `${tool}: ${JSON.stringify(fits.errors)}`);
          assert.ok(!fits({}) && !fits({ ...args, surprise: 1 }), `${tool} takes anything`);
        }
      }
    });
    await check(`${name}: read shows the file`, async () => {
      assert.equal(d.text(await t.good(d.read('a.txt'))), TEXT);
    });
    await check(`${name}: read shows a part`, async () => {
      const second = d.text(await t.good(d.read(file, { first: 2, count: 1 })));
      assert.equal(second.trimEnd(), TEXT.split('\n')[1]);
    });
    const fresh = path.join(dir, 'new', 'b.txt');
    await check(`${name}: write makes a file`, async () => {
      await t.good(d.write(fresh, TEXT));
      assert.equal(onDisk(fresh), TEXT);
    });
    await check(`${name}: write replaces it`, async () => {
      await t.good(d.write(fresh, `${TEXT}more\n`));
      assert.equal(onDisk(fresh), `${TEXT}more\n`);
    });
    if (d.edit) await edits(name, d, t, fresh);
    await check(`${name}: a call that fails says so`, async () => {
      assert.match(await t.bad(d.read('missing.txt')), /missing\.txt/);
    });
    await check(`${name}: an unknown tool is an error of the protocol`, async () => {
      await assert.rejects(t.call(['Nothing', {}]), (e) => e.code === -32602 && /Nothing/.test(e.message));
    });
    await check(`${name}: arguments that do not fit are named`, async () => {
      const [tool, args] = d.read('a.txt');
      const key = Object.keys(args)[0];
      assert.match(await t.bad([tool, { [key]: 7 }]), new RegExp(key));
      assert.match(await t.bad([tool, { ...args, surprise: true }]), /surprise/);
      assert.match(await t.bad([tool, {}]), new RegExp(key));
    });
    await check(`${name}: 50 reads at once`, async () => {
      const names = Array.from({ length: 50 }, (_, i) => put(path.join(dir, 'many', `${i}.txt`), `file ${i}\n`));
      const answers = await Promise.all(names.map((n) => t.good(d.read(n))));
      answers.forEach((a, i) => assert.equal(d.text(a), `file ${i}\n`));
    });
    await check(`${name}: ping`, () => t.client.ping());
  });
}

async function edits(name, d, t, file) {
  await check(`${name}: edit changes what is meant`, async () => {
    const before = onDisk(file);
    await t.good(d.edit(file, 'second "quoted"', "second 'quoted' $& 🙂"));
    assert.equal(onDisk(file), before.replace('second "quoted"', () => "second 'quoted' $& 🙂"));
  });
  await check(`${name}: edit of what is not there changes nothing`, async () => {
    const before = onDisk(file);
    await t.bad(d.edit(file, 'not in the file', 'x'));
    assert.equal(onDisk(file), before);
  });
  await check(`${name}: 20 edits of one file at once`, async () => {
    const lines = Array.from({ length: 20 }, (_, i) => `line <${i}> old\n`);
    const many = path.join(path.dirname(file), 'many.txt');
    await t.good(d.write(many, lines.join('')));
    await Promise.all(lines.map((_, i) => t.good(d.edit(many, `<${i}> old`, `<${i}> new`))));
    assert.equal(onDisk(many), lines.join('').replaceAll('old', 'new'));
  });
}

// questions checks that a person is asked, and that the answer counts.
async function questions(name, d) {
  const dir = path.join(here, name, 'questions');
  fs.mkdirSync(dir, { recursive: true });
  let seen = [];
  let reply;
  const handlers = [[ElicitRequestSchema, async (request, extra) => { seen.push(request.params); return reply(extra); }]];
  const flags = ['--root', dir, '--dialect', name, '--mode', 'default'];
  const write = (file) => d.write(path.join(dir, file), TEXT);
  const asked = (file) => {
    assert.equal(seen.length, 1, `asked ${seen.length} times`);
    assert.match(seen[0].message, new RegExp(file.replace('.', '\\.')));
    seen = [];
  };
  await within(`${name}, asking`, flags, { capabilities: { elicitation: {} }, handlers }, async (t) => {
    await check(`${name}, asking: accepted, written`, async () => {
      reply = () => ({ action: 'accept', content: { decision: 'allow once' } });
      await t.good(write('yes.txt'));
      assert.equal(onDisk(path.join(dir, 'yes.txt')), TEXT);
      asked('yes.txt');
    });
    for (const [how, result] of [
      ['declined', { action: 'decline' }],
      ['cancelled', { action: 'cancel' }],
      ['accepted with a no', { action: 'accept', content: { decision: 'deny' } }],
    ]) {
      await check(`${name}, asking: ${how}, not written`, async () => {
        reply = () => result;
        await t.bad(write('no.txt'));
        assert.ok(!fs.existsSync(path.join(dir, 'no.txt')), 'the file is there');
        asked('no.txt');
      });
    }
    await check(`${name}, asking: a read is not asked for`, async () => {
      assert.equal(d.text(await t.good(d.read('yes.txt'))), TEXT);
      assert.equal(seen.length, 0);
    });
    await check(`${name}, asking: a call given up takes its question back`, async () => {
      const stop = new AbortController();
      const takenBack = new Promise((resolve) => {
        reply = (extra) => new Promise((_, reject) => {
          extra.signal.addEventListener('abort', () => { resolve(true); reject(new Error('taken back')); });
          stop.abort();
        });
      });
      await assert.rejects(t.call(write('given-up.txt'), { signal: stop.signal }));
      assert.ok(await Promise.race([takenBack, sleep(5000, false)]), 'the question stays open');
      await t.client.ping();
      assert.ok(!fs.existsSync(path.join(dir, 'given-up.txt')), 'the file is there');
    });
    await check(`${name}, asking: a call given up gets no answer`, () => t.quiet());
    seen = [];
    await check(`${name}, asking: allowed for the session, asked once`, async () => {
      reply = () => ({ action: 'accept', content: { decision: 'allow for this session' } });
      await t.good(write('often.txt'));
      await t.good(d.write(path.join(dir, 'often.txt'), `${TEXT}again\n`));
      asked('often.txt');
      assert.equal(onDisk(path.join(dir, 'often.txt')), `${TEXT}again\n`);
    });
  });
  await within(`${name}, nobody to ask`, flags, {}, async (t) => {
    await check(`${name}, nobody to ask: no, and what would allow it`, async () => {
      assert.match(await t.bad(write('no.txt')), /--allow|--mode|allow rule|acceptEdits/);
      assert.ok(!fs.existsSync(path.join(dir, 'no.txt')), 'the file is there');
    });
  });
}

// roots checks that the client's folders are used when the operator named
// none.
async function roots(name, d) {
  const offered = path.join(here, name, 'with blank', 'offered');
  const cwd = path.join(here, name, 'cwd');
  put(path.join(offered, 'a.txt'), 'in the root of the client\n');
  put(path.join(cwd, 'a.txt'), 'in the current directory\n');
  const handlers = [[ListRootsRequestSchema, async () => ({ roots: [{ uri: pathToFileURL(offered).href, name: 'offered' }] })]];
  const capabilities = { roots: { listChanged: true } };
  const flags = ['--dialect', name, '--mode', 'acceptEdits'];
  await within(`${name}, client roots`, flags, { capabilities, handlers, cwd }, async (t) => {
    await check(`${name}, client roots: names are relative to the root`, async () => {
      assert.equal(d.text(await t.good(d.read('a.txt'))), 'in the root of the client\n');
      await t.good(d.write('made.txt', TEXT));
      assert.equal(onDisk(path.join(offered, 'made.txt')), TEXT);
    });
  });
  await within(`${name}, roots of both`, ['--root', cwd, ...flags], { capabilities, handlers }, async (t) => {
    await check(`${name}, roots of both: the operator's hold`, async () => {
      assert.equal(d.text(await t.good(d.read('a.txt'))), 'in the current directory\n');
    });
  });
  await within(`${name}, no roots`, flags, { cwd }, async (t) => {
    await check(`${name}, no roots: the current directory`, async () => {
      assert.equal(d.text(await t.good(d.read('a.txt'))), 'in the current directory\n');
    });
  });
}

// long checks a read that takes a moment: lines at the end of a large file.
async function long(name, d, file, lines) {
  const read = d.read(file, { first: lines - 1, count: 2 });
  const end = `line ${lines - 1}\nline ${lines}\n`;
  const flags = ['--root', path.dirname(file), '--dialect', name];
  await within(`${name}, long read`, flags, {}, async (t) => {
    await check(`${name}, long read: tells how far it is`, async () => {
      const told = [];
      const answer = await t.good(read, { onprogress: (p) => told.push(p) });
      assert.equal(d.text(answer).slice(-end.length), end);
      // What comes in one piece with the answer is known to the client too late.
      const late = /progress notification for an unknown token/;
      assert.ok(told.length > 0 || t.wrong.some((w) => late.test(w)), 'no progress');
      t.wrong = t.wrong.filter((w) => !late.test(w));
      told.forEach((p, i) => assert.ok(p.progress > (told[i - 1]?.progress ?? 0) && p.progress <= p.total, JSON.stringify(told)));
    });
  });
  await within(`${name}, read given up`, flags, {}, async (t) => {
    await check(`${name}, read given up: it ends, and the next one is right`, async () => {
      const stop = new AbortController();
      const call = t.call(read, { signal: stop.signal, onprogress: () => stop.abort() });
      await call.catch((e) => assert.ok(stop.signal.aborted, e.message)); // it may have been quicker
      await t.client.ping();
      const other = d.read(file, { first: lines - 2, count: 3 }); // or some say that it is known
      assert.equal(d.text(await t.good(other)).slice(-end.length), end);
    });
    await check(`${name}, read given up: no answer`, () => t.quiet());
  });
}

// whole checks a read of all of a large file: the client gives up a connection
// on which a message of more than 10 MiB comes.
async function whole(name, d, file) {
  await within(`${name}, large file`, ['--root', path.dirname(file), '--dialect', name], {}, async (t) => {
    await check(`${name}, large file: the whole of it leaves the connection alive`, async () => {
      const r = await t.call(d.read(file));
      assert.ok(textOf(r).length > 20, 'no text');
      await t.client.ping();
    });
  });
}

function largeFile(file) {
  const lines = 6_000_000;
  const out = fs.openSync(file, 'w');
  for (let n = 1; n <= lines;) {
    const part = [];
    for (const stop = Math.min(n + 100_000, lines + 1); n < stop; n++) part.push(n > lines - 10 ? `line ${n}` : `a line that has the number ${n}`);
    fs.writeSync(out, `${part.join('\n')}\n`);
  }
  fs.closeSync(out);
  return lines;
}

// inspector checks the command line of the inspector.
async function inspector(name, d) {
  const dir = path.join(here, name, 'inspector');
  put(path.join(dir, 'a.txt'), TEXT);
  const home = path.join(here, 'inspector-home');
  fs.mkdirSync(home, { recursive: true });
  const main = path.join(given.inspector, 'node_modules', '@modelcontextprotocol', 'inspector', 'clients', 'launcher', 'build', 'index.js');
  const run = async (...args) => {
    const { stdout } = await promisify(execFile)(given.node,
      [main, '--cli', given.burin, 'mcp', '--root', dir, '--dialect', name, ...args, '--format', 'json'],
      { env: { ...process.env, HOME: home, USERPROFILE: home } });
    return JSON.parse(stdout).result;
  };
  await check(`${name}, inspector: tools/list, schemas portable`, async () => {
    const { tools } = await run('--method', 'tools/list', '--strict');
    assert.deepEqual(tools.map((x) => x.name).sort(), await listed(name));
  });
  await check(`${name}, inspector: tools/call`, async () => {
    const [tool, args] = d.read('a.txt');
    const r = await run('--method', 'tools/call', '--tool-name', tool, '--tool-args-json', JSON.stringify(args));
    assert.ok(!r.isError);
    assert.equal(d.text(textOf(r)), TEXT);
  });
}

// ---- run ----

const large = path.join(here, 'large', 'log.txt');
fs.mkdirSync(path.dirname(large), { recursive: true });
const largeLines = largeFile(large);
const middling = put(path.join(here, 'large', 'middling.txt'), 'a line of a file that is read as a whole\n'.repeat(300_000));
for (const [name, d] of Object.entries(dialects)) {
  await tools(name, d);
  await questions(name, d);
  await roots(name, d);
  await long(name, d, large, largeLines);
  await whole(name, d, middling);
  if (given.inspector) await inspector(name, d);
}
console.log(`${passed} passed, ${failed} failed`);
process.exitCode = failed > 0 ? 1 : 0;
