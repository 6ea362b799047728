// SPDX-License-Identifier: GPL-2.0-only
// The slowest calls and operations, and what they were made of: trees on a time axis.

// As tmtrace story names a node.
function nodeName(node) {
	const id = node.id === null || node.id === undefined ? "" : ` ${node.kind === "operation" ? "#" : ""}${node.id}`;

	switch (node.kind) {
	case "call":
		return `${node.name}()`;
	case "operation":
	case "step":
		return `${node.layer} ${node.name}${id}`;
	case "rpc":
	case "server":
		return `${node.kind}${id} ${String(node.opcode).replace(/^M0_/, "").replace(/_OPCODE$/, "")}`;
	case "file":
		return node.name + (node.cached ? ", no block request" : "");
	case "block":
		return `block ${node.name} ${node.device}, ${bytes(node.bytes)}` + (node.queue_ns ? `, ${time(node.queue_ns)} queued` : "");
	case "storage":
		return `storage I/O${id}`;
	default:
		return `${node.name || node.kind}${id}`;
	}
}

// The layer that a node's bar has the colour of, as the bar of all of it has.
const NODE_KINDS = { call: "code", operation: "code", step: "other", request: "other", rpc: "net", server: "files", bulk: "net",
	transaction: "files", storage: "disk", file: "disk", block: "disk" };

function depthOf(nodes, node) {
	let depth = 0;

	for (let at = node; at.parent !== null && depth < 64; at = nodes[at.parent])
		depth++;
	return depth;
}

// A row of the tree: its bar in the time of the root.
function nodeRow(nodes, node, root, hosts) {
	const length = root.duration_ns || 1;
	const begin = (node.start_ns - root.start_ns) / length, end = begin + (node.duration_ns === null ? 1 - begin : node.duration_ns / length);
	const x = Math.min(Math.max(begin, 0), 1), width = Math.max(Math.min(Math.max(end, 0), 1) - x, 0.003);
	const name = el("td", { class: "text", title: nodeName(node) }, nodeName(node));

	name.style.setProperty("--depth", depthOf(nodes, node));
	return el("tr", node === root ? { class: "root" } : null, name,
		el("td", { class: "text" }, `${node.pid}${hosts > 1 ? ` on ${node.hostname || data.run.hostname}` : ""}`),
		el("td", { class: "number" }, signedTime(node.start_ns - root.start_ns)),
		el("td", { class: "number" }, node.duration_ns === null ? "?" : time(node.duration_ns)),
		el("td", { class: "axisbar" }, svg("svg", { viewBox: "0 0 1 1", preserveAspectRatio: "none", "aria-hidden": "true" },
			svg("rect", { class: NODE_KINDS[node.kind], x: Math.min(x, 0.997), width, y: 0.15, height: 0.7 }))));
}

function signedTime(ns) {
	return ns < 0 ? `-${time(-ns)}` : time(ns);
}

// Rows that are shown before all are asked for.
const NODES_SHOWN = 40;

function waterfall(record, caption) {
	const { nodes } = record, root = nodes[record.root];
	const hosts = new Set(nodes.map((node) => node.hostname)).size;

	if (!root)
		return null;
	return el("div", { class: "scroll", role: "region", tabindex: "0", "aria-label": caption },
		el("table", { class: "waterfall" }, el("colgroup", null, ["what", "process", "begins", "time", "axisbar"].map((kind) => el("col", { class: kind }))),
			el("thead", null, el("tr", null, ["what", "process", "begins", "time", ""].map((title, i) =>
				el("th", { scope: "col", class: i === 2 || i === 3 ? "number" : "text" }, title)))),
			el("tbody", null, nodes.slice(0, NODES_SHOWN).map((node) => nodeRow(nodes, node, root, hosts)))),
		nodes.length > NODES_SHOWN && moreNodes(nodes, root, hosts));
}

function moreNodes(nodes, root, hosts) {
	const button = el("button", { type: "button", class: "more", click: () => {
		button.previousElementSibling.tBodies[0].append(...nodes.slice(NODES_SHOWN).map((node) => nodeRow(nodes, node, root, hosts)));
		button.remove();
	} }, `Show ${count(nodes.length - NODES_SHOWN)} more`);

	return button;
}

const STORY_LAYERS = [["middleware", "middleware_ns", "code"], ["late poll", "late_poll_ns", "wait"],
	["client", "client_ns", "other"], ["network", "network_ns", "net"], ["server", "server_ns", "files"], ["disk", "disk_ns", "disk"]];

function missingText(missing) {
	return [[missing.unlinked, "steps without the client's records"], [missing.unserved, "requests without the server's records"],
		[missing.unanswered, "requests without a reply"], [missing.circles, "records by which something works for itself"],
		[missing.cut, "parts too many"]].filter((entry) => entry[0]).map(([n, what]) => `${count(n)} ${what}`).join("; ");
}

function storyBlock(story, open) {
	const parts = STORY_LAYERS.map(([name, key, kind]) => [name, kind, story.layers[key]]);
	const missing = missingText(story.missing);
	const name = `${story.layer} ${story.kind}${story.seqno === null ? "" : ` #${story.seqno}`}`;

	return el("details", { class: "story", open }, el("summary", null, el("span", { class: "what" }, name),
		el("span", { class: "long" }, time(story.duration_ns)), stacked(parts, partsTitle(parts)),
		el("span", { class: "most" }, `mostly ${story.most}`)),
	el("p", { class: "about" }, `Process ${story.pid}, at ${clock(story.nodes[story.root].start_ns, 6)}` +
		(story.object ? `, object ${story.object}` : "")),
	el("ul", { class: "legend" }, parts.map(([layer, kind, ns]) => el("li", null, el("span", { class: `swatch ${kind}` }),
		`${layer} ${ns ? time(ns) : "-"}`))),
	waterfall(story, name), missing && el("p", { class: "about" }, `Not there: ${missing}.`));
}

function chainBlock(chain, open) {
	const root = chain.nodes[chain.root];

	if (!root)
		return null;
	return el("details", { class: "story", open }, el("summary", null, el("span", { class: "what" }, nodeName(root)),
		el("span", { class: "long" }, time(root.duration_ns)), el("span", { class: "most" }, `process ${root.pid}, at ${clock(chain.start_ns, 6)}`)),
	waterfall(chain, `What ${root.name} was made of`), chain.cut ? el("p", { class: "about" }, `and ${count(chain.cut)} that were shorter`) : null);
}

function stackText(call) {
	if (!call.stack)
		return "";
	return call.stack.map((frame) => frame.function || (frame.library ? `${frame.library}+${frame.offset}` : frame.address)).join(" < ") +
		(call.frames_cut ? ` < ${call.frames_cut} more` : "");
}

function callTable(rows) {
	return table({ rows }, null, "The slowest calls that were recorded", () => [
		{ title: "begin", text: true, of: (r) => r.start_ns, show: (ns) => clock(ns, 6) },
		{ title: "time", of: (r) => r.duration_ns, show: time, bar: true }, { title: "layer", text: true, of: (r) => r.layer },
		{ title: "function", text: true, of: (r) => r.function }, { title: "bytes", of: (r) => r.bytes, show: bytes },
		{ title: "rc", of: (r) => r.rc, show: (rc) => (rc === null ? "" : String(rc)) },
		{ title: "node", text: true, of: (r) => (data.runs.rows.length > 1 ? r.hostname : "") },
		{ title: "thread", of: (r) => r.tid, show: (tid) => (tid === null ? "" : String(tid)) },
		{ title: "name", text: true, of: (r) => r.comm }, { title: "rank", of: (r) => r.rank, show: (n) => (n === null ? "" : String(n)) },
		{ title: "object", text: true, of: (r) => r.object || r.device }, { title: "stack", text: true, of: stackText },
	], { sort: "time" });
}

function operationTable(rows) {
	return table({ rows }, null, "The slowest operations, from launch to completion", () => [
		{ title: "launched", text: true, of: (r) => r.launch_ns, show: (ns) => clock(ns, 6) },
		{ title: "time", of: (r) => r.duration_ns, show: time, bar: true }, { title: "layer", text: true, of: (r) => r.layer },
		{ title: "operation", text: true, of: (r) => r.kind },
		{ title: "launching", of: (r) => r.phases.submit_ns, show: time }, { title: "polling", of: (r) => r.phases.wait_ns, show: time },
		{ title: "late poll", of: (r) => r.phases.late_poll_ns, show: time },
		{ title: "number", of: (r) => (r.seqno === null ? r.sm_id : r.seqno), show: (n) => (n === null ? "" : String(n)) },
		{ title: "rc", of: (r) => r.rc, show: (rc) => (rc === null ? "" : String(rc)) },
		{ title: "end", text: true, of: (r) => (r.fate === "complete" ? "" : r.fate) },
		{ title: "node", text: true, of: (r) => (data.runs.rows.length > 1 ? r.hostname : "") },
		{ title: "thread", of: (r) => r.tid, show: (tid) => (tid === null ? "" : String(tid)) },
		{ title: "object", text: true, of: (r) => r.object },
	], { sort: "time" });
}

// Single calls have the names of their job, not its number.
function singlesOf(list, job) {
	const of = job === null ? null : data.jobs.rows[job];

	return list.rows.filter((row) => job === null ||
		(row.cgroup === (of.cgroup || null) && row.cgroup_id === (of.cgroup_id || null)));
}

function slowestSection(job) {
	const calls = singlesOf(data.calls, job), operations = singlesOf(data.operations, job);
	const ids = new Set([...calls, ...operations].map((row) => row.id));
	const stories = data.stories.rows.filter((story) => ids.has(story.id));
	const chains = data.chains.rows.filter((chain) => ids.has(chain.id) && chain.nodes.length > 1);

	return section("slowest", "The slowest", "Of those that were recorded one by one and are still in the file.",
		stories.length && [el("h3", null, "Operations, and what worked for them"), stories.map((story, i) => storyBlock(story, i === 0))],
		chains.length && [el("h3", null, "Calls, and what their threads did in them"), chains.map((chain, i) => chainBlock(chain, i === 0))],
		operationTable(operations), callTable(calls));
}
