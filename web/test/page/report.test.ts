import { readFileSync } from "node:fs";
import Ajv from "ajv/dist/2020.js";
import { describe, expect, it } from "vitest";
import { fill_page, samples } from "../../samples/page";
import { read_report } from "../../src/report";
import { make_shared } from "../../src/shared";

describe("report", () => {
  it("fills in what is absent", () => {
    const report = read_report('{"format": "linkwright-report", "version": 2, "scene": {"size": 3, "up": null}, "new": 1}');
    expect(report.scene.size).toBe(3);
    expect(report.scene.up).toEqual([0, 1, 0]);
    expect(report.motions).toEqual([]);
    expect(report.trust).toBeNull();
  });

  it("says what is wrong with what is no report", () => {
    expect(() => read_report("")).toThrow("not JSON");
    expect(() => read_report("[1]")).toThrow("not a Linkwright report");
    expect(() => read_report('{"format": "other"}')).toThrow("not a Linkwright report");
  });

  it("goes into the page as data", () => {
    const html = fill_page("<!--linkwright:report--><!--linkwright:code-->", { report: { title: "</script><script>alert(1)</script>$&" }, code: "1" });
    expect(html.match(/<\/script>/g)).toHaveLength(2);
    expect(html).toContain("$&");
  });
});

describe("schema", () => {
  const schema = JSON.parse(readFileSync(new URL("../../../docs/formats/report.schema.json", import.meta.url), "utf8"));
  const validate = new Ajv({ strict: false, allErrors: true }).compile(schema);
  for (const [name, make] of Object.entries(samples))
    it(`holds the sample ${name}`, () => {
      validate(make().report);
      expect(validate.errors ?? []).toEqual([]);
    });
  it("refuses what is no report", () => {
    const { report } = samples["triple_pendulum"]!();
    expect(validate({ ...report, scene: undefined })).toBe(false);
    expect(validate({ ...report, motions: [{ name: 3 }] })).toBe(false);
  });
});

describe("shared", () => {
  it("shows the live motion over the recorded one", () => {
    const shared = make_shared(read_report(JSON.stringify(samples["triple_pendulum"]!().report)), null, "light", false);
    expect(shared.shown()!.name).toBe("as the file says");
    expect(shared.behind()).toBeNull();
    shared.live.set({ ...shared.motions[1]!, name: "live" });
    expect(shared.shown()!.name).toBe("live");
    expect(shared.behind()!.name).toBe("as the file says");
    shared.live.set(null);
    shared.ghost.set(1);
    expect(shared.behind()!.p[1]).toBe(1.2);
  });
});
