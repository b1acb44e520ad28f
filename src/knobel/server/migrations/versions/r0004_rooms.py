"""Tables with people around them. Before this nothing was released: games of the former shape are not kept."""

import sqlalchemy as sa
from alembic import op

revision = "0004"
down_revision = "0003"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Make tables, members and events anew."""
    op.drop_table("events")
    op.drop_table("tables")
    op.create_table(
        "tables",
        sa.Column("id", sa.Text, primary_key=True),
        sa.Column("code", sa.Text, nullable=False, unique=True),
        sa.Column("created", sa.Float, nullable=False),
        sa.Column("ruleset", sa.Text, nullable=False),
        sa.Column("options", sa.Text, nullable=False),
        sa.Column("terms", sa.Text, nullable=False),
        sa.Column("seed", sa.Text, nullable=False),
        sa.Column("follows", sa.Text),
        sa.Column("public", sa.Boolean, nullable=False),
        sa.Column("version", sa.Integer, nullable=False),
        sa.Column("phase", sa.Text, nullable=False),
        sa.Column("seats", sa.Text, nullable=False),
        sa.Column("totals", sa.Text, nullable=False),
        sa.Column("acting", sa.Integer),
        sa.Column("due", sa.Float),
        sa.Column("updated", sa.Float, nullable=False),
    )
    op.create_index("ix_tables_updated", "tables", ["updated"])
    op.create_index("ix_tables_due", "tables", ["due"])
    op.create_index("tables_phase", "tables", ["phase", "updated"])
    op.create_table(
        "members",
        sa.Column("table_id", sa.Text, sa.ForeignKey("tables.id", ondelete="CASCADE"), primary_key=True),
        sa.Column("guest", sa.Text, primary_key=True),
    )
    op.create_index("ix_members_guest", "members", ["guest"])
    op.create_table(
        "events",
        sa.Column("table_id", sa.Text, sa.ForeignKey("tables.id", ondelete="CASCADE"), primary_key=True),
        sa.Column("version", sa.Integer, primary_key=True, autoincrement=False),
        sa.Column("command_id", sa.Text),
        sa.Column("at", sa.Float, nullable=False),
        sa.Column("body", sa.Text, nullable=False),
        sa.UniqueConstraint("table_id", "command_id", name="events_command"),
    )


def downgrade() -> None:
    """Games are never thrown away."""
    raise NotImplementedError
