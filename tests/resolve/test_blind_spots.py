"""Mistakes about names that are easily made: each is read right, and near ones are left alone."""

from __future__ import annotations

import pytest

from truepath import Workspace

SHOP = """README.md package.json src/app.py src/shop/orders.py src/shop/cart.py web/App.tsx
    web/main.tsx web/styles/theme.css docs/guide.md tests/unit/test_cart.py""".split()
READ = [
    # written, meant, further files, why
    ("src/shop/order.py", "src/shop/orders.py", "", "the name in the singular"),
    ("src/shop/carts.py", "src/shop/cart.py", "", "the name in the plural"),
    ("src/shop/price-list.py", "src/shop/price_list.py", "src/shop/price_list.py", "separators"),
    ("web/order-table.tsx", "web/OrderTable.tsx", "web/OrderTable.tsx", "separators of a camel"),
    ("web/main.jsx", "web/main.tsx", "", "another extension"),
    ("src/shop/cart.js", "src/shop/cart.ts", "src/shop/cart.ts", "written as it is imported"),
    ("shop/orders.py", "src/shop/orders.py", "", "a leading folder left out"),
    ("unit/test_cart.py", "tests/unit/test_cart.py", "", "the leading folder left out of a test"),
    ("web/src/App.tsx", "web/App.tsx", "", "`src` put in"),
    ("web/source/App.tsx", "web/App.tsx", "", "`source` put in"),
    ("source/shop/orders.py", "src/shop/orders.py", "", "source for src"),
    ("test/unit/test_cart.py", "tests/unit/test_cart.py", "", "test for tests"),
    ("doc/guide.md", "docs/guide.md", "", "doc for docs"),
    ("libs/money.py", "lib/money.py", "lib/money.py", "libs for lib"),
    ("util/money.py", "utils/money.py", "utils/money.py", "util for utils"),
    ("web/component/Menu.tsx", "web/components/Menu.tsx", "web/components/Menu.tsx", "component"),
    ("specs/cart.md", "spec/cart.md", "spec/cart.md", "specs for spec"),
    ("script/build.sh", "scripts/build.sh", "scripts/build.sh", "script for scripts"),
    ("conf/nginx.yml", "config/nginx.yml", "config/nginx.yml", "conf for config"),
    (".github/workflows/tests.yml", ".github/workflows/tests.yaml",
     ".github/workflows/tests.yaml", "nobody keeps both"),
    ("src/ctx", "src/ctx.py", "src/ctx.py", "without its extension"),
    ("web_security/rules.md", "web-security/rules.md", "web-security/rules.md", "of a folder"),
    ("web/menu.ts", "web/menu/index.ts", "web/menu/index.ts", "the file of a folder"),
    ("src/pay.py", "src/pay/__init__.py", "src/pay/__init__.py src/pay/__main__.py", "a package"),
    ("web/menu.ts", "web/menu/index.ts", "web/menu/index.ts web/types/menu.ts", "and a namesake"),
    ("src/printer.py", "src/printer/printer.py",
     "src/printer/printer.py", "the file of its own folder"),
    ("db/models/fields.py", "django/db/models/fields/__init__.py",
     "django/db/models/fields/__init__.py", "a package below a folder that was left out"),
    ("app/posts/slug/page.tsx", "app/posts/[slug]/page.tsx",
     "app/posts/[slug]/page.tsx", "a parameter of the route"),
    ("app/login/form.tsx", "app/(auth)/login/form.tsx",
     "app/(auth)/login/form.tsx", "a group of routes"),
]  # fmt: skip


@pytest.mark.parametrize(("written", "meant", "more", "why"), READ)
def test_a_mistake_about_a_name_is_read_right(written, meant, more, why):
    found = Workspace.from_names([*SHOP, *more.split()]).resolve(written)

    assert found.path == meant, (why, found.status, found.candidates[:3])
    assert found.status in ("resolved", "likely")


NAMED = [
    # Named first, and not shown: another one may be meant.
    ("node_modules/.pnpm/vite@5/vite.js", "node_modules/.pnpm/vite@5_sass@1/vite.js",
     "node_modules/.pnpm/vite@5_sass@1/vite.js node_modules/.pnpm/vue@3/vue.js", "a longer folder"),
    ("pkg/core/__init__.py", "pkg/__init__.py", "pkg/__init__.py", "a folder's own file"),
    ("a/agents/openai.yml", "a/agents/openai.yaml",
     "a/agents/openai.yaml b/agents/openai.yml", "before another folder's of the very name"),
    ("sdk/dist/index.d.ts", "index.d.ts", "index.d.ts", "and one with a longer extension"),
]  # fmt: skip


@pytest.mark.parametrize(("written", "meant", "more", "why"), NAMED)
def test_what_may_be_another_file_is_named_and_not_changed(written, meant, more, why):
    found = Workspace.from_names([*SHOP, *more.split()]).resolve(written, "edit")

    assert found.path is None, why
    assert [one.path for one in found.candidates[:1]] in ([meant], []), why


def test_a_file_is_no_folder_of_its_stem():
    space = Workspace.from_names([*SHOP, "src/report/table.py", "src/report/chart.py"])

    assert space.resolve("src/report/report.py", kind="any").path is None
